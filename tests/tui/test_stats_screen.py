"""Progress on the screen: six sections, as plots and as tables."""

from collections.abc import Callable

from screen_text import shown, until

from quizapp.bank.load import Library
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

Make = Callable[..., QuizApp]
SIZE = (80, 24)
SECTIONS = {"2": "Mastery by topic", "3": "0 due now", "4": "Brier score", "5": "1 standing", "6": "Seconds from question"}


def answered(store: Store, library: Library) -> None:
    study = Study(store, library, "small", "two-ranks")
    for text, confidence in (("2.25", 5), ("2", 2), ("2.25", 4)):
        study.record(text, study.grade(text), confidence, 75.0)


async def test_without_an_answer_each_section_says_so(app: Make) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("p")
        await until(pilot, "A small bank · 0 of 11 points")
        for key, words in zip(
            "23456", ("topic by topic", "day by day", "No answer is rated", "No misconception", "No time"), strict=True
        ):
            await pilot.press(key)
            await until(pilot, words)
        await pilot.press("escape")
        await until(pilot, "Welcome")


async def test_plots_and_tables_say_the_same_and_the_choice_is_remembered(app: Make, store: Store, library: Library) -> None:
    answered(store, library)
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "new")
        await pilot.press("p")
        await until(pilot, "A small bank · 1 of 11 points")
        for key, words in SECTIONS.items():
            await pilot.press(key)
            text = await until(pilot, words)
            assert "┤" in text, key
        await pilot.press("v")
        await until(pilot, "1 min 15 s")
        assert "┤" not in shown(pilot.app)
        await pilot.press("left")
        text = await until(pilot, "✗ standing")
        assert "The mean of per-rank means" in text
        await pilot.press("left")
        await until(pilot, "5 certain")
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "new")
        await pilot.press("p", "4")
        await until(pilot, "you earned")


async def test_the_keys_are_in_the_help(app: Make) -> None:
    async with app().run_test(size=(100, 40)) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("p", "f1")
        text = await until(pilot, "Brier")
        assert "screen reader" in text
