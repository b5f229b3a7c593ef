"""Through one question of each kind with the keyboard, from the reading notes on."""

import re
import sqlite3
import threading
from collections.abc import Callable, Sequence

import pytest
from screen_text import PATIENCE, shown, typed, until, until_holds
from textual.events import Key

from quizapp.practice.interview_plan import Setup
from quizapp.practice.study import Study
from quizapp.scoring import tier
from quizapp.scoring.clauses import Clause
from quizapp.scoring.lexical import ReadyRubric
from quizapp.scoring.outcome import Weighed
from quizapp.store.record import DraftKey
from quizapp.store.store import Store
from quizapp.tui import drafting
from quizapp.tui.answer_box import LOADING, AnswerBox
from quizapp.tui.app import QuizApp
from quizapp.tui.home import HomeScreen
from quizapp.tui.page import SMALLEST

Make = Callable[..., QuizApp]
SIZE = (80, 24)


def start_at(store: Store, library: object, step: str) -> None:
    """Leaves a sitting at a step, as an earlier run of the app would."""
    study = Study(store, library, "small")  # type: ignore[arg-type]
    assert study.go([one.id for one in study.steps].index(step))


@pytest.fixture
def open_at(store: Store, library: object, app: Make) -> Callable[[str], QuizApp]:
    def make(step: str) -> QuizApp:
        start_at(store, library, step)
        return app(start="study", bank="small")

    return make


async def test_from_home_through_the_reading_to_a_choice(app: Make, store: Store) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "0 of 11 points")
        await pilot.press("enter")
        await until(pilot, "Sums and counts")
        await pilot.press("enter")
        await until(pilot, "What is the global mean?")
        await pilot.press("b", "enter")
        text = await until(pilot, "How sure are you?")
        assert "wrong" not in text
        assert store.attempts() == []
        await pilot.press("4")
        text = await until(pilot, "you rated it 4, sure")
        assert "✗ wrong" in text
        assert "Misconception: The mean of per-rank means" in text
        assert "Each rank was divided by its own count." in text
        (attempt,) = store.attempts()
        assert (attempt.text, attempt.confidence, attempt.points, attempt.item) == ("ranks", 4, 0, "pick-mean")
        await pilot.press("enter")
        await until(pilot, "Pick all that matter")
        await pilot.press("escape")
        await until(pilot, "1 of 5 items")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_more_enters_at_once_ask_for_one_rating_and_store_one_answer(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-mean/main").run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global mean?")
        await pilot.press("b")
        box = pilot.app.screen.query_one(AnswerBox)
        for _ in range(3):
            box.submit()
        await until(pilot, "How sure are you?")
        await pilot.pause(0.2)
        assert len(pilot.app.screen.query("Confidence")) == 1
        await pilot.press("4")
        await until(pilot, "you rated it 4, sure")
    assert len(store.attempts()) == 1


async def test_more_enters_at_once_where_nothing_is_rated(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-all/main").run_test(size=SIZE) as pilot:
        await until(pilot, "Which of these change the denominator?")
        await pilot.press("a")
        box = pilot.app.screen.query_one(AnswerBox)
        for _ in range(3):
            box.submit()
        await until(pilot, "Padding and uneven counts do.")
        await pilot.pause(0.2)
    assert len(store.attempts()) == 1


async def test_arrows_and_enter_choose(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-mean/main").run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global mean?")
        await pilot.press("down", "down", "up", "up", "enter", "5")
        await until(pilot, "✓ right")
        assert store.attempts()[0].text == "right"


async def test_enter_alone_neither_answers_nor_rates(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("reading/first-page").run_test(size=SIZE) as pilot:
        await until(pilot, "Sums and counts")
        await pilot.press("enter")
        await until(pilot, "What is the global mean?")
        await pilot.press("enter", "enter")
        text = await until(pilot, "! pick one first")
        assert "How sure" not in text
        await pilot.press("b", "enter")
        await until(pilot, "How sure are you?")
        await pilot.press("enter", "enter")
        await until(pilot, "! How sure are you? Press 1 to 5")
        assert store.attempts() == []
        await pilot.press("right", "right", "enter")
        await until(pilot, "you rated it 2, unsure")
        assert store.attempts()[0].text == "ranks"


async def test_all_levels_of_confidence_can_be_read_on_the_smallest_terminal(open_at: Callable[[str], QuizApp]) -> None:
    async with open_at("two-ranks/why").run_test(size=SMALLEST) as pilot:
        await until(pilot, "Why does the mean of rank means differ?")
        await pilot.press("w", "ctrl+s")
        assert re.search(r"1 a guess +2 unsure +3 so-so +4 sure +5 certain", await until(pilot, "a guess"))


async def test_the_mouse_chooses(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-mean/main").run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global mean?")
        await pilot.click("ChoiceRow", offset=(10, 0))
        await pilot.press("enter")
        await until(pilot, "How sure are you?")
        await pilot.click("ConfidenceButton")
        await until(pilot, "you rated it 1, a guess")
        assert store.attempts()[0].text == "right"


async def test_escape_takes_an_answer_back_before_it_is_judged(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-mean/main").run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global mean?")
        await pilot.press("b", "enter")
        await until(pilot, "How sure are you?")
        await pilot.press("escape", "a", "enter", "3")
        await until(pilot, "✓ right")
        assert [attempt.text for attempt in store.attempts()] == ["right"]


async def test_several_right_options_without_confidence(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-all/main").run_test(size=SIZE) as pilot:
        text = await until(pilot, "Several are right")
        assert "[ ] A" in text
        await pilot.press("enter")
        await until(pilot, "nothing is answered yet")
        await pilot.press("a", "c", "c", "b", "enter")
        text = await until(pilot, "✓ right")
        assert "How sure" not in text
        assert store.attempts()[0].text == "padding,uneven"
        assert store.attempts()[0].confidence is None


async def test_a_number(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("two-ranks/mean").run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global token mean?")
        await typed(pilot, "a lot")
        await pilot.press("enter")
        text = await until(pilot, "! ")
        assert "a lot" in text
        assert "How sure" not in text
        await pilot.press(*["backspace"] * 5)
        await typed(pilot, "2.25")
        await pilot.press("enter", "5")
        text = await until(pilot, "Right: 2")
        assert "Misconception: The mean of per-rank means" in text
        await pilot.press("r")
        await until(pilot, "A number: a fraction")
        await typed(pilot, "12/6")
        await pilot.press("enter", "5")
        await until(pilot, "✓ right · 1 of 1 point")
        assert [attempt.points for attempt in store.attempts()] == [0, 1]


async def test_an_expression(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("two-ranks/factor").run_test(size=SIZE) as pilot:
        text = await until(pilot, "An expression in")
        assert "this rank's loss sum" in text
        await typed(pilot, "L_r/N")
        await pilot.press("enter", "2")
        text = await until(pilot, "Right: R*L_r/N")
        assert "Misconception: The framework picks the denominator" in text
        await pilot.press("r")
        await typed(pilot, "L_r*(R/N)")
        await pilot.press("enter", "2")
        await until(pilot, "✓ right")
        assert [attempt.points for attempt in store.attempts()] == [0, 1]


async def test_words(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("two-ranks/why").run_test(size=SIZE) as pilot:
        await until(pilot, "Why does the mean of rank means differ?")
        await typed(pilot, "The ranks have different token counts.")
        await pilot.press("enter")
        await typed(pilot, "So they weigh differently.")
        await pilot.press("ctrl+s")
        await until(pilot, "How sure are you?")
        await pilot.press("3")
        text = await until(pilot, "1 of 2 points")
        assert "✓ earned 1/1" in text
        assert "✗ missed 0/1" in text
        assert store.attempts()[0].text == "The ranks have different token counts.\nSo they weigh differently."


@pytest.mark.parametrize("last", ["ctrl+s", "f4", "escape", "ctrl+q"])
async def test_no_key_overtakes_letters(open_at: Callable[[str], QuizApp], store: Store, last: str) -> None:
    text = "The ranks have different token counts, so they weigh differently."
    async with open_at("two-ranks/why").run_test(size=SIZE) as pilot:
        await until(pilot, "Why does the mean of rank means differ?")
        for letter in f"x{text}":
            pilot.app.post_message(Key(letter, letter))
        for key in ("home", "delete", "end", last):
            pilot.app.post_message(Key(key, None))
        if last == "ctrl+s":
            await until(pilot, "How sure are you?")
            await pilot.press("3")
            await until(pilot, "you rated it")
            assert [attempt.text for attempt in store.attempts()] == [text]
        elif last != "ctrl+q":
            await until(pilot, {"f4": "What do", "escape": "goes on at"}[last])
        else:
            await until_holds(pilot, lambda: store.draft(DraftKey("study", "two-ranks", "why")) == text)
    if last != "ctrl+s":
        assert store.draft(DraftKey("study", "two-ranks", "why")) == text


@pytest.mark.parametrize("interview", [False, True], ids=["study", "interview"])
async def test_an_answer_waits_for_the_scorer_that_is_being_loaded(
    open_at: Callable[[str], QuizApp], app: Make, store: Store, monkeypatch: pytest.MonkeyPatch, interview: bool
) -> None:
    loaded = threading.Event()
    measured: list[str] = []

    class Late(tier.Lexical):
        def measure(self, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> Weighed:
            measured.append(answer)
            return super().measure(answer, clauses, rubric)

    def load() -> None:
        loaded.wait(PATIENCE)
        tier.use(Late())

    monkeypatch.delenv("QUIZAPP_TIER")
    monkeypatch.setattr(tier, "find_spec", lambda name: name)
    monkeypatch.setattr(tier, "load_semantic", load)
    monkeypatch.setattr(tier, "_loader", None)
    monkeypatch.setattr(tier, "_present", tier.present())
    said = "The ranks have different token counts."
    setup = Setup(bank="small", minutes=15, lab=False)
    opened = app(start="interview", setup=setup) if interview else open_at("two-ranks/why")
    async with opened.run_test(size=SIZE) as pilot:
        await until(pilot, "Before we start" if interview else "Why does the mean of rank means differ?")
        await typed(pilot, said)
        await pilot.press("ctrl+s")
        await until(pilot, LOADING)
        assert measured == []
        assert not store.attempts()
        loaded.set()
        if interview:
            await until(pilot, "question 2")
            return
        await until(pilot, "How sure are you?")
        await pilot.press("3")
        await until(pilot, "1 of 2 points")
        assert said in measured


async def test_words_are_written_again_from_what_was_written(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("two-ranks/why").run_test(size=SIZE) as pilot:
        await until(pilot, "Why does the mean of rank means differ?")
        await typed(pilot, "The ranks have different token counts")
        await pilot.press("ctrl+s")
        await until(pilot, "How sure are you?")
        await pilot.press("3")
        await until(pilot, "1 of 2 points")
        await pilot.press("r")
        await until(pilot, "Ctrl+S Answer")
        await typed(pilot, ", so.")
        await until(pilot, "The ranks have different token counts, so.")
        whole = "The ranks have different token counts, so."
        await until_holds(pilot, lambda: store.draft(DraftKey("study", "two-ranks", "why")) == whole)


async def test_a_probe(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("why-worse/main").run_test(size=SIZE) as pilot:
        await until(pilot, "What do")
        await typed(pilot, "DDP picks the right denominator, so nothing needs checking.")
        await pilot.press("ctrl+s")
        await until(pilot, "How sure are you?")
        await pilot.press("5")
        await until(pilot, "Misconception: The framework picks the denominator")
        assert store.attempts()[0].points == 0


async def test_the_same_with_other_numbers(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("pick-mean/main").run_test(size=SIZE) as pilot:
        await until(pilot, "[1, 3]")
        await pilot.press("a", "enter", "5")
        await until(pilot, "✓ right")
        await pilot.press("a")
        text = await until(pilot, "( ) A")
        assert "[1, 3]" not in text
        await pilot.press("a", "enter", "5")
        await until(pilot, "you rated it 5")
        assert [attempt.seed for attempt in store.attempts()] == [None, 1]


async def test_hint_back_skip_and_contents(open_at: Callable[[str], QuizApp]) -> None:
    async with open_at("pick-mean/main").run_test(size=SIZE) as pilot:
        await until(pilot, "What is the global mean?")
        await pilot.press("f2")
        await until(pilot, "Hint: Add first, divide once.")
        await pilot.press("f4")
        await until(pilot, "Pick all that matter")
        await pilot.press("f3", "f3")
        await until(pilot, "Sums and counts")
        await pilot.press("f3")
        await until(pilot, "Sums and counts")
        await pilot.press("f5")
        text = await until(pilot, "Contents")
        assert "Two ranks · factor" in text
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, "What is the global token mean?")
        assert "part 1 of 3" in shown(pilot.app)


async def test_the_end_of_a_sitting(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("scale/main").run_test(size=SIZE) as pilot:
        await until(pilot, "Scale the loss")
        await pilot.press("f4")
        await until(pilot, "This sitting: 0 of 11 points")
        await pilot.press("f3")
        await until(pilot, "Scale the loss")
        await pilot.press("f4")
        await until(pilot, "This sitting")
        await pilot.press("enter")
        await until(pilot, "Welcome")
        assert store.unfinished() == []


async def test_what_is_typed_is_kept_within_half_a_second(open_at: Callable[[str], QuizApp], app: Make, store: Store) -> None:
    assert drafting.SECONDS < 0.5
    async with open_at("two-ranks/why").run_test(size=SIZE) as pilot:
        await until(pilot, "Why does")
        await typed(pilot, "The ranks hold")
        await until_holds(pilot, lambda: store.draft(DraftKey("study", "two-ranks", "why")) == "The ranks hold")
        await typed(pilot, " and")
        await pilot.press("escape")
        await until(pilot, "Enter goes on at Two ranks · why")
        await pilot.press("enter")
        await until(pilot, "The ranks hold and")


async def test_quitting_at_once_keeps_what_was_typed(open_at: Callable[[str], QuizApp], store: Store) -> None:
    async with open_at("two-ranks/why").run_test(size=SIZE) as pilot:
        await until(pilot, "Why does")
        await typed(pilot, "Quick")
        await pilot.press("ctrl+q")
    assert store.draft(DraftKey("study", "two-ranks", "why")) == "Quick"


async def test_a_score_that_another_version_wrote_is_asked_anew(open_at: Callable[[str], QuizApp], app: Make, store: Store) -> None:
    async with open_at("two-ranks/mean").run_test(size=SIZE) as pilot:
        await until(pilot, "A number")
        await typed(pilot, "2")
        await pilot.press("enter", "5")
        await until(pilot, "✓ right")
    with sqlite3.connect(store.path) as connection:
        connection.execute("DROP TRIGGER attempt_stays")
        connection.execute('UPDATE attempt SET score = \'{"from": "the future"}\'')
    connection.close()
    async with app(start="study", bank="small").run_test(size=SIZE) as pilot:
        await until(pilot, "A number")


async def test_a_result_is_shown_again_after_a_restart(open_at: Callable[[str], QuizApp], app: Make) -> None:
    async with open_at("two-ranks/mean").run_test(size=SIZE) as pilot:
        await until(pilot, "A number")
        await typed(pilot, "2")
        await pilot.press("enter", "5")
        await until(pilot, "✓ right")
    async with app(start="study", bank="small").run_test(size=SIZE) as pilot:
        await until(pilot, "✓ right · 1 of 1 point")
