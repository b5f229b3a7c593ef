"""Answers that can't be stored: told, kept on the screen, and given again."""

import sqlite3
from collections.abc import Callable

import pytest
from screen_text import typed, until, unwrapped
from sittings import at

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview
from quizapp.practice.interview_plan import Setup
from quizapp.practice.study import Study
from quizapp.store import database
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

Make = Callable[..., QuizApp]
SIZE = (80, 24)


def busy(*_: object, **__: object) -> None:
    """A store that can't be used just now."""
    raise database.StoreError("in use by another program")


async def test_an_answer_that_cannot_be_stored_is_kept_on_the_screen(
    store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(store, library, "two-ranks/mean")
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    impatient = Store(store.path)
    program = QuizApp(impatient, library, start="study", bank="small")
    async with program.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "A number")
        other = sqlite3.connect(store.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await typed(pilot, "2")
        await pilot.press("enter", "5")
        text = await until(pilot, "Not saved")
        assert "inusebyanotherprogram" in unwrapped(text)
        assert "✓ right" not in text
        other.execute("ROLLBACK")
        other.close()
        await pilot.press("5")
        await until(pilot, "✓ right")
        assert len(store.attempts()) == 1
    impatient.close()


async def test_an_answer_that_was_not_stored_can_be_given_again(
    app: Make, store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(store, library, "pick-all/main")
    async with app(start="study", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Which of these change the denominator?")
        await pilot.press("a")
        with monkeypatch.context() as broken:
            broken.setattr(Store, "add", busy)
            await pilot.press("enter")
            await until(pilot, "in use by another program")
        await pilot.press("enter")
        await until(pilot, "Padding and uneven counts do.")
    assert len(store.attempts()) == 1


async def test_a_result_whose_disputes_cannot_be_read_is_shown_as_it_was_scored(
    app: Make, store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(store, library, "pick-all/main")
    async with app(start="study", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Which of these change the denominator?")
        monkeypatch.setattr(Study, "stands_at", busy)
        await pilot.press("a", "enter")
        await until(pilot, "in use by another program")
        await until(pilot, "Padding and uneven counts do.")
    assert len(store.attempts()) == 1


async def test_a_lab_that_cannot_be_gone_to_leaves_the_interview(
    app: Make, store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    interview = Interview.start(store, library, Setup(bank="small"))
    while interview.question is not None and interview.question.kind != "lab":
        interview.answer("")
    async with app(start="interview", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Enter opens the lab")
        with monkeypatch.context() as broken:
            broken.setattr(Study, "go", busy)
            await pilot.press("enter")
            await until(pilot, "in use by another program")
        await pilot.press("enter")
        await until(pilot, "def scale_loss")
