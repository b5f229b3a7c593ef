"""Style sheets: each speaks of its own screen alone. Textual keeps a screen's rules for all screens that come after it."""

import dataclasses

import pytest
from foreign_rules import foreign_rules
from screen_text import typed, until

from quizapp.bank.load import Library, LoadedItem
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp


async def test_a_rule_that_meets_a_screen_without_its_style_sheet_is_found(
    store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``picture`` looks for such rules on every screen (test_every_screen_has_its_pictures)."""
    async with QuizApp(store, library).run_test(size=(80, 24)) as pilot:
        await until(pilot, "Welcome")
        assert list(foreign_rules(pilot.app)) == []
        monkeypatch.setattr(pilot.app.screen, "css_path", [])
        assert any(found.startswith("home.tcss: #banks meets BankList") for found in foreign_rules(pilot.app))


@pytest.mark.parametrize(
    ("key", "words", "search"),
    [("s", "items to ask", ""), ("g", "wanted", ""), ("p", "A small bank · 0", ""), ("/", "Ctrl+S runs", "scale the loss\n")],
    ids=["choose", "playground", "progress", "lab"],
)
async def test_choices_before_an_interview_are_all_there_after_another_screen(
    store: Store, still: Library, key: str, words: str, search: str
) -> None:
    one = still.items["why-worse"]
    many = one.item.model_copy(update={"topics": tuple(f"topic-{number}" for number in range(40))})
    items = {**still.items, "why-worse": LoadedItem(many, one.bank_id, one.file, one.line, one.hash)}
    async with QuizApp(store, dataclasses.replace(still, items=items)).run_test(size=(80, 24)) as pilot:
        await until(pilot, "Welcome")
        await typed(pilot, f"{key}{search}")
        await until(pilot, words)
        await pilot.press("escape")
        if search:
            await until(pilot, "Find an item")
            await pilot.press("escape")
        await until(pilot, "Welcome")
        await pilot.press("i")
        text = await until(pilot, "Topics (Space ticks")
        assert "Seed" in text
        assert "topic 1" in text
