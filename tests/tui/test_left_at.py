"""The question a sitting was left at stands, and can be answered, before the banks have been read."""

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from screen_text import PATIENCE, shown, typed, until, unwrapped

from quizapp.bank.load import Library
from quizapp.cli import sitting
from quizapp.practice.face import Standing, left_at, open_study
from quizapp.practice.study import Study
from quizapp.store.opinion import rule
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

BANKS = Path(__file__).parent / "banks"
SIZE = (80, 24)


class Reader:
    """Gives the library when it is let."""

    def __init__(self, library: Library) -> None:
        self.library, self.may = library, threading.Event()

    def __call__(self) -> Library:
        assert self.may.wait(PATIENCE)
        return self.library


def leave(store: Store, library: Library, step: str) -> Standing:
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index(step))
    found = left_at(store, open_study(store, "small", None), [BANKS])
    assert found is not None
    return found


async def test_an_answer_given_before_the_banks_are_there(store: Store, library: Library) -> None:
    reader = Reader(library)
    app = QuizApp(store, reader, start="study", bank="small", left_at=leave(store, library, "two-ranks/mean"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global token mean?")
        assert "part 1 of 3" in shown(app)
        assert app.library is None
        await typed(pilot, "2")
        reader.may.set()
        await pilot.press("enter")
        await until(pilot, "How sure are you?")
        await pilot.press("5")
        await until(pilot, "✓ right · 1 of 1 point")
        await pilot.press("enter")
        await until(pilot, "What does each rank")
        await pilot.press("escape")
        await until(pilot, "1 of 5 items")
    assert [attempt.text for attempt in store.attempts()] == ["2"]


async def test_a_page_before_the_banks_are_there(store: Store, library: Library) -> None:
    reader = Reader(library)
    app = QuizApp(store, reader, start="study", bank="small", left_at=leave(store, library, "reading/first-page"))
    async with app.run_test(size=SIZE) as pilot:
        assert "A small bank" in await until(pilot, "1/")
        assert app.library is None
        await pilot.press("enter", "enter")  # waits for the banks, and keeps nothing else waiting
        assert "1/" in shown(app)
        reader.may.set()
        await until(pilot, "2/")


async def test_going_home_before_the_banks_are_there(store: Store, library: Library) -> None:
    reader = Reader(library)
    app = QuizApp(store, reader, start="study", bank="small", left_at=leave(store, library, "pick-all/main"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, "Several are right")
        await pilot.press("a", "escape")
        await until(pilot, "Reading the banks")
        reader.may.set()
        await until(pilot, "Enter goes on at Pick all that matter")
        await pilot.press("enter")
        text = await until(pilot, "Several are right")
        assert "[x] A" in text


@pytest.mark.parametrize("changed", ["text", "answered"])
async def test_what_does_not_hold_any_more_makes_way(store: Store, library: Library, changed: str) -> None:
    found, reader = leave(store, library, "two-ranks/mean"), Reader(library)
    if changed == "text":
        found = dataclasses.replace(found, face=dataclasses.replace(found.face, stem="What it was before."))
    else:
        study = Study(store, library, "small")
        study.record("2.25", study.grade("2.25"))
    app = QuizApp(store, reader, start="study", bank="small", left_at=found)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, "What it was before." if changed == "text" else "A number")
        reader.may.set()
        await until(pilot, "Two ranks hold 2 and 4" if changed == "text" else "Misconception")


async def test_a_misconception_that_the_learner_denies_is_told_to_be_disputed(
    app: Callable[..., QuizApp], store: Store, library: Library
) -> None:
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index("why-worse/main"))
    said = "DDP picks the right denominator, so nothing needs checking."
    study.record(said, study.grade(said))
    async with app(start="study", bank="small").run_test(size=(80, 40), notifications=True) as pilot:
        await until(pilot, "Misconception: The framework picks")
        await pilot.press("d")
        await until(pilot, "Which of these did you say?")
        await pilot.press("enter")
        text = await until(pilot, "Misconception, disputed: The framework picks")
        assert "youdo,ifyoustudyalone" in unwrapped(text)
        await pilot.press("escape")
        await until(pilot, "A small bank")
        await pilot.press("p", "5", "v")
        text = await until(pilot, "✗ standing, disputed")
        assert "1 standing (1 disputed), 0 overcome" in text


async def test_a_result_shows_what_an_instructor_said(app: Callable[..., QuizApp], store: Store, library: Library) -> None:
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index("two-ranks/why"))
    attempt = study.record("The ranks have different token counts.", study.grade("The ranks have different token counts."))
    missed = next(one.id for one in attempt.score().criteria if one.met != "met")  # type: ignore[union-attr]
    async with app(start="study", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "1 of 2 points")
        await pilot.press("d")
        await until(pilot, "Which of these did you say?")
        await pilot.press("enter")
        await until(pilot, "missed, disputed")
    rule(store, attempt.id, missed, "met", "You did say so.", "Ada")
    async with app(start="study", bank="small").run_test(size=SIZE) as pilot:
        text = await until(pilot, "2 of 2 points")
        assert "Ada says: You did say so." in text


async def test_home_says_that_the_banks_are_read_where_nothing_is_known_ahead(store: Store, library: Library) -> None:
    reader = Reader(library)
    async with QuizApp(store, reader, start="review").run_test(size=SIZE) as pilot:
        await until(pilot, "Reading the banks")
        reader.may.set()
        await until(pilot, "What is the global mean?")
        await pilot.press("b", "enter")
        await until(pilot, "How sure are you?")
        await pilot.press("4")
        await until(pilot, "you rated it 4")
        await pilot.press("escape")
        await until(pilot, "1 of 5 items")


def test_a_queue_over_folders_that_are_new_begins_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[QuizApp] = []
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    monkeypatch.setenv("QUIZAPP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sitting, "needs_terminal", lambda: None)
    monkeypatch.setattr(sitting, "run_app", lambda app, places: begun.append(app) or 0)
    assert sitting.begin(extra=[BANKS]) == 0
    (app,) = begun
    assert (app.library, app._begin) == (None, ("review", None, None))
    app.close()
