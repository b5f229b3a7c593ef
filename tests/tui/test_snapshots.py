"""How home and the screens of a study sitting look at 80x24 and 120x40.

``pytest tests/tui --snapshot-update`` takes new pictures. Labs, sheets and the interview have files of their own.
"""

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from screen_text import Picture, in_turn, typed, until, wait_for
from sittings import answered, at
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen

import quizapp.tui
from quizapp.bank.fault import Fault
from quizapp.bank.load import Library
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.choose import ChooseScreen
from quizapp.tui.contents import ContentsScreen
from quizapp.tui.home import HomeScreen
from quizapp.tui.lab import LabScreen
from quizapp.tui.page import Page
from quizapp.tui.playground import PlaygroundScreen
from quizapp.tui.progress import ProgressScreen
from quizapp.tui.question import QuestionScreen
from quizapp.tui.reading import ReadingScreen
from quizapp.tui.search import SearchScreen
from quizapp.tui.sheet import Sheet
from quizapp.tui.study_page import StudyPage
from quizapp.tui.summary import SummaryScreen

LONG = (
    "Each rank divides its loss by its own token count, and the ranks hold different counts.\n"
    "Then DDP averages the gradients over ranks, so a rank with two tokens weighs as much as one with four.\n\n"
    "I would add the sums and the counts over all ranks first, and divide once."
)


def studying(store: Store, library: Library) -> QuizApp:
    return QuizApp(store, library, start="study", bank="small")


def test_home(picture: Picture, store: Store, still: Library) -> None:
    answered(at(store, still, "two-ranks/mean"), "2", 4)
    fault = Fault(Path("/banks/broken.yaml"), 3, 5, "unknown-key", "unknown key `stern`", "did you mean `stem`?")
    app = QuizApp(store, dataclasses.replace(still, faults=(fault,)))
    assert picture(app, HomeScreen, wait_for("A small bank"))


def test_home_at_first(picture: Picture, store: Store, still: Library) -> None:
    assert picture(QuizApp(store, still), HomeScreen, wait_for("Welcome"))


@pytest.mark.parametrize(
    ("step", "screen", "words"),
    [
        ("reading/first-page", ReadingScreen, "Sums and counts"),
        ("pick-mean/main", QuestionScreen, "( ) C"),
        ("pick-all/main", QuestionScreen, "Several are right"),
        ("two-ranks/mean", QuestionScreen, "A number"),
        ("two-ranks/factor", QuestionScreen, "An expression"),
        ("two-ranks/why", QuestionScreen, "Why does"),
        ("scale/main", LabScreen, "Scale the local loss"),
    ],
    ids=["reading", "choice", "choices", "number", "expression", "words", "lab"],
)
def test_a_step(picture: Picture, store: Store, still: Library, step: str, screen: type[Screen[None]], words: str) -> None:
    at(store, still, step)
    assert picture(studying(store, still), screen, wait_for(words))


def test_a_long_answer(picture: Picture, store: Store, still: Library) -> None:
    store.save_draft(at(store, still, "two-ranks/why").draft_key(), LONG)
    assert picture(studying(store, still), QuestionScreen, wait_for("I would add"))


@pytest.mark.parametrize(
    ("step", "keys", "words"),
    [
        ("pick-mean/main", ("ctrl+g",), "flagged"),
        ("pick-mean/main", ("f2",), "Hint:"),
        ("two-ranks/mean", ("x", "enter"), "can't be read"),
    ],
    ids=["flagged", "hint", "no-number"],
)
def test_a_key(picture: Picture, store: Store, still: Library, step: str, keys: tuple[str, ...], words: str) -> None:
    at(store, still, step)
    ready = wait_for("( ) C" if step.startswith("pick") else "A number")
    assert picture(studying(store, still), QuestionScreen, in_turn(ready, wait_for(words, *keys)))


def test_confidence(picture: Picture, store: Store, still: Library) -> None:
    at(store, still, "pick-mean/main")
    act = in_turn(wait_for("( ) C"), wait_for("How sure", "b", "enter"))
    assert picture(studying(store, still), QuestionScreen, act)


@pytest.mark.parametrize(
    ("step", "text", "words"),
    [
        ("pick-mean/main", "ranks", "Misconception"),
        ("two-ranks/mean", "2.25", "Misconception"),
        ("two-ranks/why", "The ranks have different token counts.", "earned"),
    ],
    ids=["choice", "number", "words"],
)
def test_a_result(picture: Picture, store: Store, still: Library, step: str, text: str, words: str) -> None:
    answered(at(store, still, step), text, 4)
    assert picture(studying(store, still), QuestionScreen, wait_for(words))


@pytest.mark.parametrize(
    ("keys", "screen", "words"),
    [
        ("p", ProgressScreen, "A small bank · 1"),
        ("p2", ProgressScreen, "Mastery by topic"),
        ("p3", ProgressScreen, "fall due, day by day"),
        ("p4", ProgressScreen, "sure you were"),
        ("p4v", ProgressScreen, "you said"),
        ("p5", ProgressScreen, "times shown"),
        ("o", ContentsScreen, "Contents"),
        ("s", ChooseScreen, "items to ask"),
        ("/mean", SearchScreen, "pick-mean"),
        ("/qqqq", SearchScreen, "No item"),
        ("g", PlaygroundScreen, "wanted"),
    ],
    ids=[
        "progress", "topics", "due", "confidence", "table", "misconceptions", "contents", "choose", "search", "none-found",
        "playground",
    ],
)  # fmt: skip
def test_from_home(picture: Picture, store: Store, still: Library, keys: str, screen: type[Screen[None]], words: str) -> None:
    answered(at(store, still, "two-ranks/mean"), "2", 4)
    answered(at(store, still, "pick-all/main"), "rate", 5)

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "A small bank")
        await typed(pilot, keys)
        await wait_for(words)(pilot)

    assert picture(QuizApp(store, still), screen, act)


def test_the_end(picture: Picture, store: Store, still: Library) -> None:
    answered(at(store, still, "two-ranks/mean"), "2.25", 4)
    at(store, still, "scale/main")
    act = in_turn(wait_for("Scale the loss"), wait_for("This sitting", "f4"))
    assert picture(studying(store, still), SummaryScreen, act)


def test_too_small(snap_compare: Callable[..., bool], store: Store, still: Library) -> None:
    assert snap_compare(QuizApp(store, still), terminal_size=(50, 12), run_before=wait_for("terminal too small"))


def screens() -> Iterator[type[Screen[object]]]:
    """All screens of the app; bases of others are none."""
    for module in pkgutil.iter_modules(quizapp.tui.__path__):
        for thing in vars(importlib.import_module(f"quizapp.tui.{module.name}")).values():
            if isinstance(thing, type) and issubclass(thing, Screen) and thing.__module__ == f"quizapp.tui.{module.name}":
                yield thing


def test_every_screen_has_its_pictures() -> None:
    """Where a file of pictures names a screen, ``picture`` sees to it that this very screen is shown, at both sizes."""
    folder = Path(__file__).parent
    named = {
        name
        for file in folder.glob("test_*snapshots*.py")
        for line in file.read_text("utf-8").splitlines()
        if not line.startswith(("from ", "import "))
        for name in re.findall(r"\w+Screen\b", line)
    }
    bases = {Page, Sheet, StudyPage, Screen, ModalScreen}
    assert {screen.__name__ for screen in screens() if screen not in bases} - named == set()
