"""The playground by keyboard: numbers in, weights and means out at once, from 80 columns on."""

from collections.abc import Callable

import pytest
from screen_text import shown, until

from quizapp.tui.app import QuizApp


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_counts_in_weights_out(app: Callable[..., QuizApp], size: tuple[int, int]) -> None:
    async with app().run_test(size=size) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("g")
        text = await until(pilot, "wanted 1   this way 2")
        assert "each rank's own mean" in text
        assert "1/(R·n_r)" in text
        assert "✗ other weights than meant" in text
        assert "✗ 2 x wanted" in text
        await pilot.press("up")
        text = await until(pilot, "wanted 1   this way 1 ")
        assert "✓ every token has its weight" in text
        await pilot.press("end", *["backspace"] * 5, *"1+x")
        await until(pilot, "valid tokens: 'x' is no count")
        await pilot.press("backspace", "3")
        await until(pilot, "then every loss counts as 1.")
        text = await until(pilot, "microbatch 2: 3 tokens")
        assert "loss sums: as many ranks and microbatches" in text
        await pilot.press("tab", "end", *["backspace"] * 5, *"4+6", "down", "down")
        text = await until(pilot, "wanted 5/2   this way 3")
        assert "microbatch 2: 3 tokens" in text
        await pilot.press("escape")
        await until(pilot, "Welcome")
        assert "playground" not in shown(pilot.app).splitlines()[0]


async def test_all_weights_can_be_reached_and_fit_the_terminal(app: Callable[..., QuizApp]) -> None:
    async with app().run_test(size=(80, 24)) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("g")
        await until(pilot, "wanted 1   this way 2")
        assert "PgDn" not in shown(pilot.app), "all of it is to be seen"
        await pilot.press("end", *["backspace"] * 5, *"1+2|0+0|5+9|7+7")
        await until(pilot, "PgDn More")
        assert "rank 3 microbatch 2" not in shown(pilot.app)
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown")
        text = await until(pilot, "rank 3 microbatch 2")
        await pilot.resize_terminal(120, 40)
        wide = await until(pilot, "rank 0 microbatch 1")
        assert max(line.count("█") for line in wide.splitlines()) > max(line.count("█") for line in text.splitlines())
