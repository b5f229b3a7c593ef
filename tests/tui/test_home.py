"""Home, help, progress; banks that load slowly or not at all; terminals that are too small; no colour."""

import dataclasses
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from screen_text import PATIENCE, shown, until, unwrapped
from textual.widgets import OptionList

from quizapp.bank.fault import Fault
from quizapp.bank.load import Library, load
from quizapp.practice.opening import Shelved, to_ship
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

BANKS = Path(__file__).parent / "banks"
Make = Callable[..., QuizApp]
SIZE = (80, 24)


async def test_the_first_screen_stands_while_the_banks_are_read(store: Store, library: Library) -> None:
    go = threading.Event()

    def slowly() -> Library:
        go.wait(PATIENCE)
        return library

    async with QuizApp(store, slowly).run_test(size=SIZE) as pilot:
        await until(pilot, "Reading the banks")
        await pilot.press("i", "o", "p", "enter")
        await until(pilot, "Reading the banks")
        go.set()
        await until(pilot, "A small bank")


async def test_what_is_known_of_the_banks_stands_while_they_are_read(store: Store, library: Library) -> None:
    go = threading.Event()

    def slowly() -> Library:
        go.wait(PATIENCE)
        return dataclasses.replace(library, banks=(dataclasses.replace(library.banks[0], builtin=True),))

    known = tuple(Shelved(*one) for one in json.loads(to_ship(BANKS))["shelf"])
    async with QuizApp(store, slowly, shelf=known).run_test(size=SIZE) as pilot:
        before = await until(pilot, "One item of each kind")
        assert "Welcome" in before
        await pilot.press("i", "o", "p", "d", "s", "slash")
        await pilot.pause()
        assert shown(pilot.app) == before, "what needs the banks waits for them"
        await pilot.press("enter")
        await until(pilot, "Reading the banks")
        go.set()
        await until(pilot, "Sums and counts")
        store.finish(store.unfinished()[0].id)
        await pilot.press("escape")
        assert await until(pilot, "Welcome") == before, "the same list as the banks give"


async def test_a_broken_file_is_listed_and_the_others_work(store: Store, tmp_path: Path, library: Library) -> None:
    folder = Path(library.banks[0].file).parent
    broken = tmp_path / "broken.yaml"
    broken.write_text("id: broken\ntitle: [unclosed\n")
    async with QuizApp(store, load([folder, broken])).run_test(size=SIZE) as pilot:
        text = await until(pilot, "1 file with faults")
        assert "broken.yaml:" in unwrapped(text)
        await pilot.press("enter")
        await until(pilot, "Sums and counts")


async def test_no_bank_at_all(store: Store, tmp_path: Path) -> None:
    async with QuizApp(store, load([tmp_path])).run_test(size=SIZE) as pilot:
        await until(pilot, "No bank could be read")
        await pilot.press("enter", "i", "o", "p")
        await until(pilot, "No bank could be read")


async def test_faults_and_texts_are_never_markup(store: Store, library: Library) -> None:
    fault = Fault(Path("[red]x.yaml"), 1, 1, "code", "[bold]no[/bold] {{ n }} [/]", "write [link=x]that[/link]")
    banks = (dataclasses.replace(library.banks[0], bank=library.banks[0].bank.model_copy(update={"title": "Sums [/] of [b]"})),)
    async with QuizApp(store, dataclasses.replace(library, faults=(fault,), banks=banks)).run_test(size=(120, 40)) as pilot:
        text = await until(pilot, "Sums [/] of [b]")
        assert "[red]x.yaml:1:1: [bold]no[/bold] {{ n }} [/]; write [link=x]that[/link]" in text


@pytest.mark.parametrize("key", ["f1", "question_mark"])
async def test_help_names_the_keys_of_its_screen(app: Make, store: Store, key: str) -> None:
    async with app().run_test(size=(120, 40)) as pilot:
        await until(pilot, "Welcome")
        await pilot.press(key)
        text = await until(pilot, "rehearses an interview")
        assert "Your answers are kept in" in text
        await pilot.press("escape")
        await pilot.press("enter")
        await until(pilot, "Sums and counts")
        await pilot.press(key)
        await until(pilot, "Reading notes come before the questions")


async def test_contents_and_progress_from_home(app: Make) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("p")
        text = await until(pilot, "A small bank · 0 of 11 points")
        assert "· new" in text
        await pilot.press("escape", "o")
        await until(pilot, "Contents")
        await pilot.press("escape")
        await until(pilot, "Enter")
        await pilot.press("o")
        await until(pilot, "Contents")
        await pilot.press("end", "up", "enter")
        await until(pilot, "A run on more GPUs")


async def test_too_small_says_so_and_comes_back(app: Make) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.resize_terminal(59, 24)
        text = await until(pilot, "terminal too small: 59x24, needs 60x18")
        assert text.strip() == "terminal too small: 59x24, needs 60x18"
        await pilot.resize_terminal(60, 18)
        await until(pilot, "Welcome")
        assert isinstance(pilot.app.focused, OptionList)
        assert "too small" not in shown(pilot.app)


async def test_the_mouse_opens_a_bank(app: Make) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.click("#banks", offset=(4, 0))
        await until(pilot, "Sums and counts")


def test_no_color_is_respected(store: Store, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert QuizApp(store, library).no_color


def test_the_app_starts_without_what_only_later_screens_need() -> None:
    program = (
        "import sys, quizapp.cli.app, quizapp.tui.app\n"
        "late = 'pydantic yaml numpy torch docker mpmath rapidfuzz regex quizapp.scoring quizapp.judge'.split()\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("room", ["practice", "store"])
def test_rooms_below_know_no_screen(room: str) -> None:
    names = [path.stem for path in (Path(__file__).parents[2] / "quizapp" / room).glob("*.py") if path.stem != "__init__"]
    program = "import sys, " + ", ".join(f"quizapp.{room}.{name}" for name in names)
    program += "\nprint([name for name in ('textual', 'torch', 'numpy', 'docker') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.stdout.strip() == "[]", done.stderr


async def test_who_has_begun_without_an_answer_is_not_sent_back_to_the_beginning(app: Make) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Press Enter to start with the reading notes")
        await pilot.press("enter")
        await until(pilot, "Sums and counts")
        await pilot.press("enter")
        await until(pilot, "2/")
        await pilot.press("escape")
        text = await until(pilot, "Enter goes on at")
        assert "where you left it" in text
        assert "start with the reading notes" not in text
