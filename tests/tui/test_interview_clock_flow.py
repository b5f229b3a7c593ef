"""The interview's clock on the screen: one more question, the time that is up, and how both offers look."""

from collections.abc import Callable

import pytest
from screen_text import Picture, in_turn, shown, typed, until, until_holds, wait_for
from textual.pilot import Pilot

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.practice.interview import Interview
from quizapp.practice.interview_offer import STOP
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store
from quizapp.tui.answer_box import AnswerBox
from quizapp.tui.app import QuizApp
from quizapp.tui.interview import InterviewScreen

Make = Callable[..., QuizApp]
SIZE = (80, 24)
SETUP = Setup(minutes=15, seed=3)


@pytest.fixture(scope="module")
def banks() -> Library:
    return load([builtin_folder()])


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock's one entry; it stands until somebody sets it."""
    now = [0.0]
    monkeypatch.setattr("quizapp.practice.interview.now", lambda: now[0])
    return now


def through(store: Store, banks: Library) -> Interview:
    """An interview whose plan is through, everything passed."""
    interview = Interview.start(store, banks, SETUP)
    while interview.question is not None:
        interview.answer("")
    return interview


def open_screen(pilot: "Pilot[object]") -> InterviewScreen:
    screen = pilot.app.screen
    assert isinstance(screen, InterviewScreen)
    return screen


async def test_one_more_question_and_then_the_debrief(app: Make, store: Store, banks: Library, moment: list[float]) -> None:
    planned = len(through(store, banks).exchanges)
    async with app(library=banks, start="interview").run_test(size=SIZE) as pilot:
        await until(pilot, "We have about 15 minutes left. One more question?")
        assert "F4 Pass" not in shown(pilot.app)
        await pilot.press("f4", "enter")
        await until(pilot, "pick one first")
        await pilot.press("a", "escape")
        await until(pilot, "An interview is open")
        await pilot.press("i")
        await until(pilot, "One more question?")
        assert open_screen(pilot).interview.further == ()
        await pilot.press("a", "enter")
        await until(pilot, f"question {planned + 1}")
        interview = open_screen(pilot).interview
        assert interview.question is not None
        assert store.draft(interview.draft_key()) is None
        await pilot.press("f4")
        await until(pilot, "One more question?")
        await pilot.press("b", "enter")
        text = await until(pilot, "That was my last question")
        assert "0:00 of 15:00" in text
        assert f"After the plan, at your wish: question {planned + 1}." in text
    assert store.unfinished("interview") == []
    assert len(store.attempts()) == planned + 1


async def test_f8_at_an_offer_needs_no_second_one(app: Make, store: Store, banks: Library, moment: list[float]) -> None:
    through(store, banks)
    async with app(library=banks, start="interview").run_test(size=SIZE) as pilot:
        await until(pilot, "One more question?")
        await pilot.press("f8")
        await until(pilot, "That was my last question")
    assert store.unfinished("interview") == []


@pytest.mark.parametrize("choice", ["a", "b"])
async def test_the_time_is_up_in_the_middle_of_an_answer(app: Make, store: Store, moment: list[float], choice: str) -> None:
    setup = Setup(bank="small", minutes=15, lab=False)
    async with app(start="interview", setup=setup).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        await typed(pilot, "I was about to say that")
        moment[0] = 15 * 60 + 40.0
        await until(pilot, "Our time is up. Finish this answer")
        await pilot.press("ctrl+s")
        text = await until(pilot, "I had planned for about 14 minutes more")
        assert "Finish this answer" not in text  # the note in the corner would lie over the choices
        assert "15:40 of 15:00" in text
        await pilot.press(choice, "enter")
        if choice == "a":
            await until(pilot, "question 2")
            assert open_screen(pilot).interview.overtime == 1
            await pilot.press("f4")
            await until(pilot, "question 3")
        else:
            text = await until(pilot, "We stop here")
            assert "15:40 of 15:00" in text
            assert "Stopped before all was asked that was planned." in text
    assert [attempt.text for attempt in store.attempts()][:1] == ["I was about to say that"]


async def test_a_second_enter_answers_nothing_else(app: Make, store: Store, banks: Library, moment: list[float]) -> None:
    planned = len(through(store, banks).exchanges)
    async with app(library=banks, start="interview").run_test(size=SIZE) as pilot:
        await until(pilot, "One more question?")
        await pilot.press("a")
        box = pilot.app.screen.query_one(AnswerBox)
        box.submit()
        box.submit()
        await until(pilot, f"question {planned + 1}")
        await pilot.pause(0.2)
        assert open_screen(pilot).interview.number == planned + 1
    assert len(store.attempts()) == planned


async def test_the_time_for_an_answer_ends_no_offer(app: Make, store: Store, banks: Library, moment: list[float]) -> None:
    from quizapp.tui.interview_clock import AnswerTimeUp

    interview = through(store, banks)
    async with app(library=banks, start="interview").run_test(size=SIZE) as pilot:
        await until(pilot, "One more question?")
        open_screen(pilot).post_message(AnswerTimeUp(interview.number))
        moment[0] += 3600
        await pilot.pause(1.2)
        assert "0:00 of 15:00" in await until(pilot, "One more question?")
    assert len(store.attempts()) == len(interview.exchanges)


async def test_the_clock_goes_on_in_the_lab(app: Make, store: Store, still: Library, moment: list[float]) -> None:
    interview = Interview.start(store, still, Setup(bank="small"))
    while interview.question is not None and interview.question.kind != "lab":
        interview.answer("")
    async with app(library=still, start="interview", bank="small").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Enter opens the lab")
        await pilot.press("enter")
        await until(pilot, "Scale the local loss")
        moment[0] = 35 * 60 + 1.0
        await until(pilot, "Our time is up.")
        await until_holds(pilot, lambda: store.session(interview.session.id).position["elapsed"] == moment[0])


async def test_an_interview_stands_on_one_screen(app: Make, store: Store, banks: Library, moment: list[float]) -> None:
    through(store, banks)
    async with app(library=banks, start="interview").run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "One more question?")
        assert isinstance(pilot.app, QuizApp)
        pilot.app.interview(None)
        await until(pilot, "The interview is open; Esc")
        assert sum(isinstance(screen, InterviewScreen) for screen in pilot.app.screen_stack) == 1


def test_offer(picture: Picture, store: Store, still: Library, banks: Library) -> None:
    through(store, banks)
    act = in_turn(wait_for("One more question?"), wait_for("(•) A", "a"))
    assert picture(QuizApp(store, banks, start="interview"), InterviewScreen, act)


def test_offer_to_stop(picture: Picture, store: Store, still: Library, moment: list[float]) -> None:
    interview = Interview.start(store, still, Setup(bank="small", minutes=15, lab=False))
    moment[0] = 15 * 60 + 40.0
    interview.answer("I was about to say that")
    assert picture(QuizApp(store, still, start="interview", bank="small"), InterviewScreen, wait_for("or stop here?"))


async def test_an_answer_cut_off_before_an_offer_makes_way_for_it(app: Make, store: Store, moment: list[float]) -> None:
    setup = Setup(bank="small", minutes=15, lab=False, limit=2)
    async with app(start="interview", setup=setup).run_test(size=SIZE) as pilot:
        await until(pilot, "Before we start")
        await typed(pilot, "I was about to say that")
        moment[0] = 15 * 60 + 40.0
        await until(pilot, "or stop here?")
    assert [attempt.text for attempt in store.attempts()] == ["I was about to say that"]


@pytest.mark.parametrize("left", [0, 1])
async def test_a_second_enter_at_the_end_is_nothing(
    app: Make, store: Store, banks: Library, moment: list[float], left: int
) -> None:
    """At an offer that is declined, and at the last question where nothing is offered after it."""
    planned = len(through(store, banks).exchanges)
    interview = Interview.start(store, banks, SETUP)
    moment[0] = left * 12 * 60.0
    for _ in range(planned - left):
        interview.answer("")
    async with app(library=banks, start="interview").run_test(size=SIZE) as pilot:
        await until(pilot, f"question {planned}" if left else "One more question?")
        box = pilot.app.screen.query_one(AnswerBox)
        for _ in range(2):
            box.post_message(AnswerBox.Submitted(box, "" if left else STOP))
        await until(pilot, "That was my last question")
        await pilot.pause(0.2)
    assert len(store.attempts(session=interview.session.id)) == planned
