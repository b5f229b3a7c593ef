"""The mock interview with the keyboard: choices, questions, follow-up, notes, passing, debrief, export; left and taken up again."""

import dataclasses
from collections.abc import Callable

import pytest
from screen_text import shown, typed, until, until_holds
from textual.pilot import Pilot
from textual.widgets._collapsible import CollapsibleTitle

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview, open_session
from quizapp.practice.interview_debrief import debrief
from quizapp.practice.interview_plan import Setup
from quizapp.store.database import StoreError
from quizapp.store.opinion import disputes, rule
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.interview import InterviewScreen
from quizapp.tui.interview_debrief import InterviewDebriefScreen

Make = Callable[..., QuizApp]
SIZE = (80, 24)
SHORT = Setup(bank="small", minutes=15, lab=False)


async def to_the_case(pilot: "Pilot[object]") -> None:
    """Passes until the probe is asked."""
    await until(pilot, "Before we start")
    for _ in range(12):
        screen = pilot.app.screen
        assert isinstance(screen, InterviewScreen)
        if screen.interview.question is not None and screen.interview.question.kind == "probe":
            return
        number = screen.interview.number
        await pilot.press("f4")
        await until(pilot, f"question {number + 1}")
    raise AssertionError("no probe was asked")


async def test_choices_default_and_enter(app: Make, store: Store) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("i")
        text = await until(pilot, "Anything in this field")
        assert "35 minutes" in text
        assert "averages" in text
        await pilot.press("down", "right", "down", "right")
        await until(pilot, "60 minutes")
        await until(pilot, "at most 2 minutes each")
        await pilot.press("enter")
        await until(pilot, "Before we start")
        session = open_session(store)
        assert session is not None
        assert session.position["setup"] == dataclasses.replace(Setup(), minutes=60, limit=2, seed=1).stored()


async def test_from_the_opening_to_the_debrief(app: Make, store: Store) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE) as pilot:
        await until(pilot, "Before we start")
        await pilot.press("ctrl+s")
        await until(pilot, "nothing is answered yet")
        await to_the_case(pilot)
        await typed(pilot, "DDP picks the right denominator.")
        await pilot.press("f6")
        await typed(pilot, "too quick")
        await pilot.press("f6", "escape")
        await until(pilot, "an interview is open: press i")
        await pilot.press("i")
        await until(pilot, "DDP picks the right denominator.")
        assert "too quick" not in shown(pilot.app)
        await pilot.press("ctrl+s")
        text = await until(pilot, "You said:")
        assert "What exactly does it do with gradients?" in text
        assert "missed" not in text
        await typed(pilot, "It averages them over ranks.")
        await pilot.press("ctrl+s")
        screen = pilot.app.screen
        while isinstance(screen, InterviewScreen) and not screen.interview.over:
            number = screen.interview.number
            await pilot.press("f4")
            await until_holds(pilot, lambda before=number: screen.interview.number != before or screen.interview.over)
        await until(pilot, "That was my last question")
        text = shown(pilot.app)
        assert "Misconception:" in text
        assert store.unfinished("interview") == []
        assert store.recommended()
        await pilot.press("a")
        await pilot.press(*["pagedown"] * 3)
        parts = [attempt.part for attempt in store.attempts()]
        assert "main/misconception-framework-knows" in parts
        await pilot.press("e")
        kept = store.path.parent / "interviews"
        await until_holds(pilot, lambda: any("too quick" in file.read_text("utf-8") for file in kept.glob("*.md")))
        await until_holds(pilot, lambda: sorted(file.suffix for file in kept.iterdir()) == [".html", ".md"])
        await pilot.press("escape")
        await until(pilot, "Enter studies")


async def test_the_clock_can_be_hidden_and_the_interview_ended(app: Make, store: Store) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "of 15:00")
        await pilot.press("f7")
        await until_holds(pilot, lambda: "of 15:00" not in shown(pilot.app))
        await typed(pilot, "unfinished")
        await pilot.press("f8")
        await until(pilot, "F8 again")
        await pilot.press("f8")
        await until(pilot, "No misconception came up")
        assert store.setting("interview clock") == "hidden"
        assert store.attempts() == []


async def test_an_answer_whose_time_is_up_is_taken_as_it_stands(app: Make, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = 0.0
    monkeypatch.setattr("quizapp.practice.interview.now", lambda: moment)
    async with app(start="interview", setup=dataclasses.replace(SHORT, limit=2)).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "this answer 2:00")
        await typed(pilot, "I was about to say that")
        moment = 121.0
        await until(pilot, "question 2")
        (attempt,) = store.attempts()
        assert (attempt.text, attempt.seconds) == ("I was about to say that", 121.0)


async def test_passing_asks_first_where_something_is_written(app: Make, store: Store) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        await typed(pilot, "well")
        await pilot.press("f4")
        await until(pilot, "F4 again")
        assert store.attempts() == []
        await pilot.press("f4")
        await until(pilot, "question 2")
        assert [attempt.text for attempt in store.attempts()] == [""]
        assert any(row["text"] == "well" for row in store._rows("SELECT text FROM draft"))


async def test_a_lab_in_the_interview(app: Make, store: Store, library: Library) -> None:
    from quizapp.model.verdict import Verdict
    from quizapp.practice.study import Study

    interview = Interview.start(store, library, Setup(bank="small"))
    while interview.question is not None and interview.question.kind != "lab":
        interview.answer("")
    async with app(start="interview", bank="small").run_test(size=SIZE) as pilot:
        await until(pilot, "Enter opens the lab")
        study = Study(store, library, "small", "scale")
        verdict = Verdict(
            outcome="pass", points=2, max_points=2, seed=1, summary="All pass.", backend="local", sandbox="none", device="cpu",
            collectives="gloo", milliseconds=1,
        )  # fmt: skip
        study.record_code("def scale_loss(): ...", verdict)
        await pilot.press("escape")
        await until(pilot, "press i")
        await pilot.press("i")
        await until(pilot, "2 of 2 points")
        await pilot.press("ctrl+s")

        def verdicts() -> list[str]:
            again = Interview(store, library, store.session(interview.session.id))
            return [one.verdict.outcome for one in again.exchanges if one.verdict is not None]

        await until_holds(pilot, lambda: verdicts() == ["pass"])


async def test_topics_without_a_question_are_told(app: Make, store: Store, library: Library) -> None:
    bank = library.banks[0]
    code = tuple(item for item in bank.bank.items if item.id == "scale")
    kept = {id_: loaded for id_, loaded in library.items.items() if id_ == "scale"}
    fewer = dataclasses.replace(bank, bank=bank.bank.model_copy(update={"items": code}))
    narrowed = dataclasses.replace(library, banks=(fewer,), items=kept)
    async with app(library=narrowed).run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("i")
        await until(pilot, "Anything in this field")
        await pilot.press("enter")
        await until(pilot, "there is no question on these topics")


async def test_a_debrief_takes_disputes_and_shows_what_stands_now(app: Make, store: Store, library: Library) -> None:
    interview = Interview.start(store, library, SHORT)
    while interview.question is not None:
        probe = interview.question.kind == "probe"
        interview.answer("Two ranks hold other counts. The mean of means is another mean." if probe else "")
    interview.end()
    found = debrief(interview)
    at = next(at for at, row in enumerate(found.rows) if row.open_lines)
    line = found.rows[at].open_lines[0]
    async with app().run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Enter studies")
        await pilot.press("i")
        await until(pilot, "Anything in this field")
        await pilot.press("d")
        await until(pilot, "That was my last question")
        pilot.app.screen.query(CollapsibleTitle)[at].focus()
        await pilot.press("enter", "d")
        await until(pilot, "Which of these did you say?")
        await pilot.press("enter")
        await until(pilot, "Where? Choose the sentence")
        await pilot.press("enter")
        await until(pilot, "You did say that")
        screen = pilot.app.screen
        assert isinstance(screen, InterviewDebriefScreen)
        assert [one.criterion for one in screen.found.rows[at].lines if one.disputed] == [line.criterion]
    attempt = found.rows[at].attempt
    assert attempt is not None
    assert [(one.attempt, one.criterion) for one in disputes(store)] == [(attempt, line.criterion)]
    rule(store, attempt, line.criterion, "met", "So you did.", "Ada")
    after = debrief(Interview(store, library, store.session(interview.session.id)))
    (ruled,) = (one for one in after.rows[at].lines if one.criterion == line.criterion)
    assert (ruled.met, ruled.points, ruled.disputed) == ("met", line.max_points, False)
    assert after.points == found.points + line.max_points


@pytest.mark.parametrize("size", [(80, 24), (110, 30), (159, 45), (160, 45), (230, 60)])
async def test_notes_never_lie_over_the_question(app: Make, size: tuple[int, int]) -> None:
    async with app(start="interview", setup=SHORT).run_test(size=size) as pilot:
        await until(pilot, "Before we start")
        await pilot.press("f6")
        await until(pilot, "Notes")
        await until_holds(pilot, lambda: pilot.app.screen.query_one("#notes").region.area)
        talk, notes = (pilot.app.screen.query_one(name).region for name in ("#interview", "#notes"))
        assert not talk.overlaps(notes)
        assert notes.right <= size[0]


@pytest.mark.parametrize("key", ["g", "d"])
async def test_an_interview_whose_bank_is_gone_is_told_of(app: Make, store: Store, library: Library, key: str) -> None:
    interview = Interview.start(store, library, Setup(bank="small", minutes=15, lab=False))
    interview.answer("")
    if key == "d":
        interview.end()
    store.move(interview.session.id, {"setup": Setup(bank="gone").stored()})
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "new")
        await pilot.press("i")
        await until(pilot, "Anything in this field")
        await pilot.press(key)
        await until(pilot, "there is no question on these topics")


async def test_a_debrief_that_cannot_be_read_leaves_the_interview(
    app: Make, store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise StoreError("in use by another program")

    async with app(start="interview", setup=SHORT).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Before we start")
        with monkeypatch.context() as broken:
            broken.setattr("quizapp.tui.interview_debrief.debrief", busy)
            await pilot.press("f8", "f8")
            await until(pilot, "in use by another program")
        await pilot.press("f8", "f8")
        await until(pilot, "We stop here")
    assert store.unfinished("interview") == []
