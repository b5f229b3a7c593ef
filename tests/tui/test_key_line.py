"""The line of keys: what fits at 80 columns, what help says of the rest, and that a click is as good as the key."""

from collections.abc import Callable

import pytest
from screen_text import shown, until

from quizapp.bank.load import Library
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.key_line import Key, KeyLine, fitting, keys_of

SIZE = (80, 24)
Make = Callable[..., QuizApp]
OWN = [
    Key(f"{letter}", letter, name, True)
    for letter, name in zip("abcdef", ("Alpha", "Beta", "Gamma", "Delta", "Eta", "Zeta"), strict=True)
]
GENERAL = [
    Key("f3", "F3", "Back", True),
    Key("f5", "F5", "Steps", True),
    Key("f1", "F1", "Help", True),
    Key("escape", "Esc", "Home", True),
]


@pytest.mark.parametrize("columns", range(22, 100, 3))
def test_what_fits(columns: int) -> None:
    keys = (*OWN, *GENERAL)
    found = fitting(keys, columns)
    assert len(" ".join(f"{key.shown} {key.does}" for key in found)) <= columns
    assert [key.key for key in found][-2:] == ["f1", "escape"]
    assert (found == keys) == (len(" ".join(f"{key.shown} {key.does}" for key in keys)) <= columns)
    if found != keys:
        assert found[-2].does == "More keys"
        # Steps and Back go before any key of the screen's own.
        assert {key.key for key in found} >= {key.key for key in OWN} or "f5" not in {key.key for key in found}


async def test_after_a_written_answer_all_keys_are_on_the_line_or_in_the_help(app: Make, store: Store, library: Library) -> None:
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index("two-ranks/why"))
    study.record("The ranks have different token counts.", study.grade("The ranks have different token counts."))
    async with app(start="study", bank="small").run_test(size=SIZE) as pilot:
        await until(pilot, "1 of 2 points")
        line = shown(pilot.app).splitlines()[-1]
        for key in ("Next", "Retry", "I did say that", "Slip", "Esc Home", "F1"):
            assert key in line
        every = keys_of(pilot.app.screen)
        assert {"F3", "F5", "^g"} < {key.shown for key in every}
        await pilot.press("f1")
        helped = "".join((await until(pilot, "Keys here")).split())
        for key in every:
            assert f"{key.shown}{key.does}".replace(" ", "") in helped.replace("│", "")


async def test_a_click_is_as_good_as_the_key(app: Make, store: Store, library: Library) -> None:
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index("pick-mean/main"))
    async with app(start="study", bank="small").run_test(size=SIZE) as pilot:
        await until(pilot, "( ) C")

        async def click(name: str) -> None:
            at = shown(pilot.app).splitlines()[-1].index(name)
            await pilot.click(KeyLine, offset=(at + 1, 0))

        await pilot.press("a")
        await click("⏎ Answer")
        await until(pilot, "How sure are you?")
        await click("1-5 Rate")  # says which keys there are; none of them is meant
        assert not store.attempts()
        await pilot.press("4")
        await until(pilot, "✓ right")
        await click("r Retry")
        await until(pilot, "( ) C")
        await click("Esc Home")
        await until(pilot, "Enter goes on at")
