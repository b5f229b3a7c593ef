"""Steps of each kind open in each of the banks that come with the app, and what a bank states as right is taken as right."""

from collections import Counter

import pytest
from screen_text import shown, typed, until

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.model.question import ChoicePart, NumericPart, SymbolicPart
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.page import Heading
from quizapp.tui.study_page import screen_for


@pytest.fixture(scope="module")
def builtin() -> Library:
    return load([builtin_folder()])


BANKS = sorted(bank.bank.id for bank in load([builtin_folder()]).banks)


@pytest.mark.parametrize("bank", BANKS)
async def test_each_kind_of_step_opens(store: Store, builtin: Library, bank: str) -> None:
    """Two of each kind; how one goes from one to the next is tested elsewhere, on a small bank."""
    study = Study(store, builtin, bank)
    app = QuizApp(store, builtin)
    kinds: Counter[str] = Counter()
    async with app.run_test(size=(80, 24)) as pilot:
        for number, step in enumerate(study.steps):
            kind = "reading" if step.part is None else step.part.kind
            kinds[kind] += 1
            if kinds[kind] > 2:
                continue
            study.go(number)
            await app.push_screen(screen_for(study))
            text = await until(pilot, f"{number + 1}/{len(study.steps)}")
            assert step.title.split("{{")[0][:20] in text or step.reading is not None
            assert "{{" not in shown(pilot.app)
            assert pilot.app.screen.query_one(Heading)
            await app.pop_screen()


def test_no_step_shows_a_template(store: Store, builtin: Library) -> None:
    for loaded in builtin.banks:
        study = Study(store, builtin, loaded.bank.id)
        for number, step in enumerate(study.steps):
            if step.reading is None:
                study.go(number)
                assert "{{" not in study.asked().question, step.id


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


async def test_what_was_found_takes_two_lines_each_also_where_the_list_scrolls(store: Store, builtin: Library) -> None:
    async with QuizApp(store, builtin).run_test(size=(80, 24)) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("slash")
        await typed(pilot, "ddp")
        text = await until(pilot, "ddp-compensation")
        found = [line[4:] for line in text.splitlines()[4:-1]]
        assert len(found) == 19, "it scrolls"
        assert [line[0] for line in found] == ["·", " "] * 9 + ["·"], "nothing wraps"
        assert any("…" in line for line in found), "though something is too long"


async def test_what_is_written_below_a_long_question_can_be_seen(store: Store, builtin: Library) -> None:
    app = QuizApp(store, builtin, start="study", bank="ddp-contract", item="replicas-drift-apart")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, "PgDn More")
        await typed(pilot, "never averaged")
        await until(pilot, "never averaged")
        await pilot.press("pageup")
        text = await until(pilot, "A speech toolkit accumulates")
        assert "never averaged" not in text
        await pilot.press("pagedown")
        await until(pilot, "never averaged")
        await pilot.press("pageup", "x")
        await until(pilot, "never averagedx")


async def test_all_of_the_marked_bank_is_seen_whatever_its_description_takes(store: Store, builtin: Library) -> None:
    async with QuizApp(store, builtin).run_test(size=(80, 24)) as pilot:
        await until(pilot, "Welcome")
        for _ in builtin.banks:
            await pilot.pause(0.1)
            lines = shown(pilot.app).splitlines()
            at = next(number for number, line in enumerate(lines) if line.startswith("  › "))
            assert "0 of" in lines[at + 1], lines[at]
            await pilot.press("down")


async def test_where_a_long_question_hides_the_field_a_key_is_named_that_shows_it(store: Store, builtin: Library) -> None:
    app = QuizApp(store, builtin, start="study", bank="audits", item="audit-of-average-tokens-across-devices")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "A number" not in await until(pilot, "PgDn More")
        await pilot.press("pagedown")
        await until(pilot, "A number")
