"""How the mock interview looks at 80x24 and 120x40. ``pytest tests/tui --snapshot-update`` takes new pictures."""

from collections.abc import Callable

import pytest
from screen_text import Picture, in_turn, typed, until, wait_for
from textual.pilot import Pilot

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.interview import InterviewScreen
from quizapp.tui.interview_debrief import InterviewDebriefScreen
from quizapp.tui.interview_start import InterviewStartScreen

SETUP = Setup(bank="small", minutes=35, lab=False)
WRONG = "DDP picks the right denominator."


def held(store: Store, library: Library, until: Callable[[Interview], bool], setup: Setup = SETUP) -> None:
    """The interview's answers, up to a question that is looked for, or to its end."""
    interview = Interview.start(store, library, setup)
    while interview.question is not None and not until(interview):
        interview.answer(WRONG if interview.question.heard else "")


def asks(**wanted: str) -> Callable[[Interview], bool]:
    """Whether the question that stands has these: ``cause="misconception"``."""
    return lambda interview: all(getattr(interview.question, name) == value for name, value in wanted.items())


def interview(store: Store, library: Library) -> QuizApp:
    return QuizApp(store, library, start="interview", bank="small")


def test_start(picture: Picture, store: Store, still: Library) -> None:
    act = in_turn(wait_for("Anything in this field"), wait_for("› Length", "down"))
    assert picture(interview(store, still), InterviewStartScreen, act)


def test_start_with_one_open(picture: Picture, store: Store, still: Library) -> None:
    held(store, still, asks(kind="probe"), Setup(minutes=35, lab=False))
    act = wait_for("An interview is open")
    assert picture(interview(store, still), InterviewStartScreen, act)


@pytest.mark.parametrize(
    ("kind", "key"), [("expression", "Answer"), ("choice", "Pick"), ("lab", "Open the lab")], ids=["expression", "choice", "lab"]
)
def test_question(picture: Picture, store: Store, still: Library, kind: str, key: str) -> None:
    held(store, still, asks(kind=kind), Setup(bank="small", minutes=60))
    assert picture(interview(store, still), InterviewScreen, wait_for(key))


def test_follow_up(picture: Picture, store: Store, still: Library) -> None:
    held(store, still, asks(cause="misconception"))

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "You said:")
        await typed(pilot, "It averages gradients")
        await wait_for("It averages gradients")(pilot)

    assert picture(interview(store, still), InterviewScreen, act)


def test_notes(picture: Picture, store: Store, still: Library) -> None:
    held(store, still, asks(cause="misconception"))

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "You said:")
        await pilot.press("f6")
        await until(pilot, "Notes")
        await typed(pilot, "what does DDP do?")
        await wait_for("what does DDP do?")(pilot)

    assert picture(interview(store, still), InterviewScreen, act)


def test_debrief(picture: Picture, store: Store, still: Library) -> None:
    held(store, still, lambda interview: False)
    assert picture(interview(store, still), InterviewDebriefScreen, wait_for("That was my last question"))


def test_debrief_unfolded(picture: Picture, store: Store, still: Library) -> None:
    held(store, still, lambda interview: False)

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "That was my last question")
        await pilot.press("a")
        await pilot.pause(0.2)
        await wait_for("6 / 5 = 1.2: one sum, one count.", "end")(pilot)

    assert picture(interview(store, still), InterviewDebriefScreen, act)
