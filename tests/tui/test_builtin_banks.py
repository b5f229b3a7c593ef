"""Every step of the banks that come with the app opens, and every right answer that a bank states itself is taken as right."""

import pytest
from screen_text import shown, typed, until

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.model.question import ChoicePart, NumericPart, SymbolicPart
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.page import Heading


@pytest.fixture(scope="module")
def builtin() -> Library:
    return load([builtin_folder()])


BANKS = sorted(bank.bank.id for bank in load([builtin_folder()]).banks)


@pytest.mark.parametrize("bank", BANKS)
async def test_every_step_opens(store: Store, builtin: Library, bank: str) -> None:
    app = QuizApp(store, builtin, start="study", bank=bank)
    async with app.run_test(size=(80, 24)) as pilot:
        steps = Study(store, builtin, bank).steps
        for number, step in enumerate(steps, 1):
            text = await until(pilot, f"{number}/{len(steps)}")
            assert step.title.split("{{")[0][:20] in text or step.reading is not None
            assert "{{" not in shown(pilot.app)
            assert pilot.app.screen.query_one(Heading)
            await pilot.press("f4")
        await until(pilot, "This sitting")


async def test_the_stated_keys_are_right(store: Store, builtin: Library) -> None:
    study = Study(store, builtin, builtin.banks[0].bank.id)
    answers = {}
    for index, step in enumerate(study.steps):
        if isinstance(step.part, ChoicePart | NumericPart | SymbolicPart):
            study.go(index)
            asked = study.asked()
            if isinstance(step.part, ChoicePart):
                answers[index] = ",".join(choice.id for choice in asked.choices if choice.key)
            elif isinstance(step.part, SymbolicPart):
                answers[index] = step.part.key
    assert answers
    for index, answer in answers.items():
        study.go(index)
        score = study.grade(answer)
        assert score.points == score.max_points, (study.step.id, answer)


async def test_one_symbolic_answer_is_typed_into_the_real_bank(store: Store, builtin: Library) -> None:
    for bank in builtin.banks:
        for step in Study(store, builtin, bank.bank.id).steps:
            if isinstance(step.part, SymbolicPart) and step.loaded is not None:
                app = QuizApp(store, builtin, start="study", bank=bank.bank.id, item=step.loaded.item.id)
                async with app.run_test(size=(80, 24)) as pilot:
                    await until(pilot, "An expression in")
                    await typed(pilot, step.part.key)
                    await pilot.press("enter")
                    await until(pilot, "How sure")
                    await pilot.press("5")
                    await until(pilot, "✓ right")
                return
    raise AssertionError("no built-in bank has a symbolic part")
