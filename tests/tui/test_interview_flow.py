"""The interview with the keyboard: probe, follow-up, debrief; left and taken up again."""

from collections.abc import Callable

from screen_text import typed, until

from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

Make = Callable[..., QuizApp]
SIZE = (80, 24)


async def test_from_home_to_the_debrief(app: Make, store: Store) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("i")
        await until(pilot, "question 1")
        await pilot.press("ctrl+s")
        await until(pilot, "nothing is answered yet")
        await typed(pilot, "DDP picks the right denominator.")
        await pilot.press("escape")
        await until(pilot, "an interview is open: press i")
        await pilot.press("i")
        await until(pilot, "DDP picks the right denominator.")
        await pilot.press("ctrl+s")
        text = await until(pilot, "question 2")
        assert "Let me stay with one thing that you said." in text
        assert "What exactly does it do with gradients?" in text
        assert "missed" not in text
        await typed(pilot, "It averages them over ranks.")
        await pilot.press("ctrl+s")
        text = await until(pilot, "debrief")
        assert "You said: DDP picks the right denominator." in text
        assert [attempt.part for attempt in store.attempts()] == ["main", "main/misconception-framework-knows"]
        await pilot.press("enter")
        await until(pilot, "Enter studies")
        assert store.unfinished("interview") == []


async def test_a_bank_without_a_probe(app: Make, store: Store, library: object) -> None:
    import dataclasses

    from quizapp.bank.load import Library

    assert isinstance(library, Library)
    bank = library.banks[0]
    without = tuple(item for item in bank.bank.items if item.kind != "probe")
    fewer = dataclasses.replace(bank, bank=bank.bank.model_copy(update={"items": without}))
    async with app(library=dataclasses.replace(library, banks=(fewer,))).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("i")
        await until(pilot, "has no probe to ask")
