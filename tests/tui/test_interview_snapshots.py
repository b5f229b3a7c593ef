"""How the mock interview looks at 80x24 and 120x40. ``pytest tests/tui/test_interview_snapshots.py --snapshot-update`` redraws."""

import dataclasses
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from screen_text import typed, until
from textual.pilot import Pilot

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

Compare = Callable[..., bool]
Act = Callable[[Pilot[object]], Awaitable[None]]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
SETUP = Setup(bank="small", minutes=35, lab=False)


@pytest.fixture
def still(library: Library, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The library at a path that is the same everywhere, and a clock that stands."""
    monkeypatch.setattr("quizapp.practice.interview.now", lambda: 0.0)
    bank = dataclasses.replace(library.banks[0], file=Path("/banks/small.yaml"), builtin=True)
    return dataclasses.replace(library, banks=(bank,))


def held(store: Store, library: Library, *, until_follow_up: bool) -> None:
    """The interview's answers, up to its first follow-up about a misconception or to its end."""
    interview = Interview.start(store, library, SETUP)
    while interview.question is not None and not (until_follow_up and interview.question.cause == "misconception"):
        spoken = "DDP picks the right denominator." if interview.question.heard else ""
        interview.answer(spoken)


@sizes
def test_start(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "Anything in this field")
        await pilot.press("down")
        await until(pilot, "› Length")
        await pilot.pause(0.1)

    assert snap_compare(QuizApp(store, still, start="interview", bank="small"), terminal_size=size, run_before=act)


@sizes
def test_question(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    held(store, still, until_follow_up=True)

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "You said:")
        await typed(pilot, "It averages gradients")
        await until(pilot, "It averages gradients")
        await pilot.pause(0.1)

    assert snap_compare(QuizApp(store, still, start="interview", bank="small"), terminal_size=size, run_before=act)


@sizes
def test_debrief(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    held(store, still, until_follow_up=False)

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "That was my last question")
        await pilot.pause(0.1)

    assert snap_compare(QuizApp(store, still, start="interview", bank="small"), terminal_size=size, run_before=act)
