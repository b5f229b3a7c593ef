"""Two apps on one interview: the one that is behind says so, and takes it up where it stands; what was typed is kept."""

from collections.abc import Callable, Iterator

import pytest
from screen_text import typed, until
from textual.pilot import Pilot

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview
from quizapp.practice.interview_phrases import gone_on
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.interview import KEEP_EVERY, InterviewScreen

Make = Callable[..., QuizApp]
SIZE = (80, 24)
SHORT = Setup(bank="small", minutes=15, lab=False)


@pytest.fixture
def second(store: Store) -> Iterator[Store]:
    with Store(store.path, clock=store.clock) as opened:
        yield opened


def the_same(second: Store, library: Library) -> Interview:
    (session,) = second.unfinished("interview")
    return Interview(second, library, session, clock=lambda: 0.0)


def told(pilot: "Pilot[object]") -> list[str]:
    return [one.message for one in pilot.app._notifications]


def screen_of(pilot: "Pilot[object]") -> InterviewScreen:
    screen = pilot.app.screen
    assert isinstance(screen, InterviewScreen)
    return screen


async def test_an_answer_to_a_question_that_was_answered_elsewhere(
    app: Make, store: Store, second: Store, library: Library
) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        await typed(pilot, "words of mine")
        other = the_same(second, library)
        other.answer("words given elsewhere")
        await pilot.press("ctrl+s")
        await until(pilot, "question 2")
        assert told(pilot) == [gone_on(False, 1)]
        assert [attempt.text for attempt in store.attempts()] == ["words given elsewhere"]
        assert screen_of(pilot).interview.question == other.question
        await pilot.press("f4")
        await until(pilot, "question 3")
    assert [attempt.text for attempt in store.attempts()] == ["words given elsewhere", ""]
    assert the_same(store, library).notes(1) == "words of mine"
    assert any(row["text"] == "words of mine" for row in store._rows("SELECT text FROM draft"))


async def test_the_clock_alone_finds_it_out(app: Make, store: Store, second: Store, library: Library) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        the_same(second, library).answer("words given elsewhere")
        screen = screen_of(pilot)
        for _ in range(KEEP_EVERY):
            screen._tick()
        await until(pilot, "question 2")
        assert len(screen.interview.exchanges) == 1
        assert told(pilot) == [gone_on(False, None)]
    assert len(store.attempts()) == 1


async def test_a_pass_is_not_given_to_a_question_that_was_not_seen(
    app: Make, store: Store, second: Store, library: Library
) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        await pilot.press("f6")
        await typed(pilot, "a note")
        the_same(second, library).answer("words given elsewhere")
        await pilot.press("f4")
        await until(pilot, "question 2")
    assert [attempt.text for attempt in store.attempts()] == ["words given elsewhere"]
    assert the_same(store, library).notes(1) == "a note"


async def test_an_interview_that_was_ended_elsewhere_shows_its_debrief(
    app: Make, store: Store, second: Store, library: Library
) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        the_same(second, library).end()
        await pilot.press("f4")
        await until(pilot, "We stop here")
        assert told(pilot) == [gone_on(True, None)]
    assert store.attempts() == []


async def test_a_choice_that_was_made_elsewhere(app: Make, store: Store, second: Store, library: Library) -> None:
    moment = 0.0
    interview = Interview.start(store, library, SHORT, clock=lambda: moment)
    moment = 15 * 60.0 + 1
    interview.answer("")
    async with app(start="interview", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Go on with")
        the_same(second, library).go_on()
        await pilot.press("b", "enter")
        await until(pilot, "question 2")
        assert told(pilot) == [gone_on(False, None)]
    (session,) = store.unfinished("interview")
    assert session.position["overtime"] == 1


async def test_what_was_typed_is_kept_by_who_leaves(app: Make, store: Store, second: Store, library: Library) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        await typed(pilot, "words of mine")
        other = the_same(second, library)
        other.answer("words given elsewhere")
        await pilot.press("escape")
        await until(pilot, "an interview is open: press i")
        assert told(pilot) == [gone_on(False, 1)]
        await pilot.press("i")
        await until(pilot, "question 2")
        assert screen_of(pilot).interview.question == other.question
    assert the_same(store, library).notes(1) == "words of mine"


async def test_a_lab_in_between_comes_back_to_where_the_interview_stands(
    app: Make, store: Store, second: Store, library: Library
) -> None:
    interview = Interview.start(store, library, Setup(bank="small"))
    while interview.question is not None and interview.question.kind != "lab":
        interview.answer("")
    async with app(start="interview", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Enter opens the lab")
        screen = screen_of(pilot)
        await pilot.press("enter")
        await until(pilot, "def scale_loss")
        other = the_same(second, library)
        other.answer("")
        for _ in range(KEEP_EVERY):
            screen._tick()
        await until(pilot, "def scale_loss")
        assert told(pilot) == [gone_on(other.over, None)]
        await pilot.press("escape")
        await until(pilot, "That was my last question" if other.over else f"question {other.number}")
