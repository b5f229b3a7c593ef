"""A queue with the keyboard: from home and from the chooser, slips, flags, what was missed once more, search, jump, colours."""

import dataclasses
from collections.abc import Callable
from datetime import timedelta

import pytest
from screen_text import shown, typed, until, until_holds
from textual.color import Color
from textual.filter import NoColor

from quizapp.bank.load import Library, LoadedItem
from quizapp.practice.queue import Plan
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui import themes
from quizapp.tui.app import QuizApp
from quizapp.tui.question import QuestionScreen

Make = Callable[..., QuizApp]
SIZE = (80, 24)


def gave(store: Store, library: Library, item: str, text: str) -> None:
    """An answer of an earlier day."""
    study = Study(store, library, "small", item)
    study.record(text, study.grade(text), 3)
    study.finish()


def later(store: Store, days: float) -> None:
    """Lets the store's clock run ahead."""
    moment = store.clock() + timedelta(days=days)
    store.clock = lambda: moment


async def test_what_is_due_from_home_to_the_end(app: Make, store: Store, library: Library) -> None:
    gave(store, library, "pick-all", "padding,uneven")
    gave(store, library, "pick-mean", "ranks")
    later(store, 30)
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "2 due now · 3 new")
        await pilot.press("d")
        await until(pilot, "1/7")
        await pilot.press("escape")
        await until(pilot, "d goes on with your queue")
        await pilot.press("s")
        await until(pilot, "5 items to ask (2 due, 3 new)")
        await pilot.press("right", "enter")
        for place in (1, 2):
            await until(pilot, f"{place}/2")
            page = pilot.app.screen
            assert isinstance(page, QuestionScreen)
            await pilot.press(*(choice.letter.lower() for choice in page.asked.choices if choice.key), "enter")
            if page.asked.loaded.item.confidence:
                await until(pilot, "How sure are you?")
                await pilot.press("4")
            await until(pilot, "✓ right")
            await pilot.press("enter")
        text = await until(pilot, "This sitting: 2 of 2 points")
        assert "days" in text
        await pilot.press("enter")
        await until(pilot, "0 due now")
        assert [mark.seed is None for mark in store.marks() if mark.item == "pick-mean"] == [True, False]
        assert store.unfinished("review") == []


async def test_a_missed_question_comes_once_more_and_a_slip_does_not(app: Make, store: Store) -> None:
    async with app(start="review", plan=Plan(length=1)).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "What is the global mean?")
        assert "1/1" in shown(pilot.app)
        await pilot.press("b", "enter", "5")
        await until(pilot, "✗ wrong")
        await pilot.press("u")
        await until(pilot, "Taken back")
        await until(pilot, "( ) A")
        assert [(mark.withdrawn, mark.points) for mark in store.marks()] == [(True, 0)]
        await pilot.press("b", "enter", "1")
        await until(pilot, "✗ wrong")
        await pilot.press("enter")
        text = await until(pilot, "2/2")
        assert "[1, 3]" not in text
        await pilot.press("f4")
        text = await until(pilot, "This sitting: 0 of 1 point")
        assert "in 10 minutes" in text
        await pilot.press("enter")
        await until(pilot, "0 due now")


async def test_the_chooser_counts_and_begins(app: Make, store: Store, library: Library) -> None:
    gave(store, library, "pick-all", "rate")
    async with app().run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, "new")
        await pilot.press("s")
        await until(pilot, "4 items to ask (0 due, 4 new)")
        await pilot.press("right")
        await until(pilot, "0 items to ask")
        await pilot.press("enter")
        await until(pilot, "Nothing is left to ask here")
        await pilot.press("right")
        await until(pilot, "1 item to ask (0 due, 0 new)")
        await pilot.press("left", "left", "down", "down", "right", "right")
        text = await until(pilot, "1 item to ask (0 due, 1 new)")
        assert text.count("›") == 6
        await pilot.press("down", "down", "down")
        text = await until(pilot, "[ ] averages (5)")
        await pilot.press("space")
        await until(pilot, "[x] averages (5)")
        await pilot.press("enter")
        await until(pilot, "What is the global token mean?")
        assert "1/3" in shown(pilot.app)
        (session,) = store.unfinished("review")
        plan = session.position["plan"]
        assert isinstance(plan, dict)
        assert (plan["topics"], plan["difficulties"], plan["selection"]) == (["averages"], [2], "mixed")


async def test_a_flag_is_raised_lowered_and_asked_for(app: Make, store: Store) -> None:
    async with app(start="study", bank="small", item="two-ranks").run_test(size=SIZE) as pilot:
        await until(pilot, "A number")
        await pilot.press("ctrl+g")
        await until(pilot, "⚑ flagged")
        assert store.flagged() == {"two-ranks"}
        await pilot.press("f5")
        text = await until(pilot, "Contents")
        assert text.count("exercise 0/1  ⚑ flagged") == 2
        await pilot.press("escape")
        await until(pilot, "A number")
        await pilot.press("f4")
        await until(pilot, "An expression")
        assert "⚑ flagged" in shown(pilot.app)
        await pilot.press("ctrl+g")
        await until_holds(pilot, lambda: "flagged" not in shown(pilot.app))
        assert store.flagged() == frozenset()


async def test_search_finds_and_opens(app: Make) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("slash")
        await until(pilot, "5 items in all banks")
        await typed(pilot, "mean")
        await until(pilot, "pick-mean")
        await typed(pilot, " nowhere")
        await until(pilot, "No item has all these words")
        await pilot.press(*["backspace"] * 8)
        await until(pilot, "scale")
        await pilot.press("down", "enter")
        text = await until(pilot, "What is the global token mean?")
        assert "Esc Back" in text
        assert "Esc Home" not in text
        await pilot.press("escape")
        await until(pilot, "Find an item")
        await pilot.press("f1")
        await until(pilot, "every word must occur")


async def test_a_flag_shows_in_progress(app: Make, store: Store) -> None:
    store.flag("two-ranks", True)
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("p")
        text = await until(pilot, "Pick the mean")
        assert [line.split()[-3:] for line in text.splitlines() if "⚑" in line] == [["ranks", "⚑", "flagged"]]


async def test_what_is_found_does_not_wrap(app: Make, library: Library) -> None:
    one = library.items["pick-mean"]
    topics = tuple(f"a-topic-of-some-length-{number}" for number in range(9))
    long = one.item.model_copy(update={"title": "Pick the mean of uneven " + "rank-token-counts " * 4, "topics": topics})
    items = {**library.items, "pick-mean": LoadedItem(long, one.bank_id, one.file, one.line, one.hash)}
    bank = library.banks[0].bank
    banked = bank.model_copy(update={"items": tuple(long if item.id == long.id else item for item in bank.items)})
    changed = dataclasses.replace(library, items=items, banks=(dataclasses.replace(library.banks[0], bank=banked),))
    async with app(library=changed).run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        await typed(pilot, "/uneven rank-token")
        lines = (await until(pilot, "rank-token-counts")).splitlines()
        top = next(number for number, line in enumerate(lines) if "Pick the mean" in line)
        assert lines[top].endswith("…")
        assert lines[top + 1].startswith("      A small bank · a-topic")
        assert lines[top + 1].endswith("…")
        assert not lines[top + 2].strip()


async def test_jumping_goes_to_an_option_by_its_letter(app: Make) -> None:
    async with app(start="study", bank="small", item="pick-mean").run_test(size=SIZE) as pilot:
        await until(pilot, "( ) C")
        await pilot.press("ctrl+o")
        await until(pilot, "Press a letter")
        await pilot.press("b")
        await until(pilot, "(•) B")
        await pilot.press("ctrl+o")
        await until(pilot, "Press a letter")
        await pilot.press("escape")
        await until_holds(pilot, lambda: "Press a letter" not in shown(pilot.app))


async def test_the_palette_knows_sittings_banks_and_items(app: Make) -> None:
    async with app().run_test(size=(100, 40)) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("ctrl+p")
        await until(pilot, "Study what I get wrong")
        await typed(pilot, "contrast")
        await until(pilot, "Colours: high contrast")
        for word in ("theme", "dark", "light"):
            await pilot.press(*["backspace"] * 8)
            await typed(pilot, word)
            await until(pilot, "Colours: light" if word == "light" else "Colours: dark")
        await pilot.press(*["backspace"] * 8)
        await typed(pilot, "two ranks")
        await until(pilot, "Item: Two ranks")
        await pilot.press("enter")
        await pilot.pause(0.2)
        await pilot.press("enter")
        await until(pilot, "What is the global token mean?")


async def test_colours_are_remembered(app: Make, store: Store) -> None:
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        for _ in range(3):
            await pilot.press("t")
            await pilot.pause(0.1)
        assert pilot.app.theme == themes.NO_COLOUR
        assert store.setting(themes.SETTING) == themes.NO_COLOUR
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        assert pilot.app.theme == themes.NO_COLOUR
        assert any(isinstance(one, NoColor) for one in pilot.app.get_line_filters())
        assert shown(pilot.app)
        await pilot.press("t")
        await pilot.pause(0.1)
        assert pilot.app.theme == themes.DARK


def luminance(colour: Color) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [value / 255 for value in (colour.r, colour.g, colour.b)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("theme", "least"), [(themes.DARK, 4.5), (themes.LIGHT, 4.5), (themes.CONTRAST, 7.0)])
def test_texts_stand_out_from_what_is_behind_them(app: Make, theme: str, least: float) -> None:
    program = app()
    for own in themes.OWN:
        program.register_theme(own)
    program.theme = theme
    variables = program.get_css_variables()
    for behind in ("background", "surface", "primary-muted"):
        ground = Color.parse(variables[behind])
        for name in ("foreground", "text-success", "text-error", "text-warning", "text-accent", "text-primary"):
            dark, light = sorted((luminance(Color.parse(variables[name])), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= least, (name, behind)


async def test_no_color_goes_before_what_is_remembered(app: Make, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.set(themes.SETTING, themes.LIGHT)
    monkeypatch.setenv("NO_COLOR", "1")
    async with app().run_test(size=SIZE) as pilot:
        await until(pilot, "Welcome")
        assert pilot.app.theme == themes.NO_COLOUR
        for strip in pilot.app.screen._compositor.render_strips():
            for segment in strip.apply_filter(NoColor(), pilot.app.screen.background_colors[1]):
                assert segment.style is None or segment.style.color is None or segment.style.color.is_default
    assert store.setting(themes.SETTING) == themes.LIGHT
