"""Style sheets: each speaks of its own screen alone. Textual keeps a screen's rules for all screens that come after it."""

import dataclasses
import re
from pathlib import Path

from screen_text import until

import quizapp.tui
from quizapp.bank.load import Library, LoadedItem
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

FOLDER = Path(quizapp.tui.__file__).parent
OTHER_APP = "preview"
"""Takes the app's style sheets as they are."""


def named(name: str) -> set[str]:
    """Modules of the app in which a widget has this id or class."""
    literal = re.compile(rf"""(?:id|classes)="(?:[\w -]* )?{re.escape(name)}(?: [\w -]*)?\"""")
    return {file.stem for file in FOLDER.glob("*.py") if file.stem != OTHER_APP and literal.search(file.read_text("utf-8"))}


def test_a_rule_without_a_screen_meets_widgets_of_one_module() -> None:
    strays = []
    for sheet in FOLDER.glob("*.tcss"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
        for selectors in re.findall(r"([^{}]+)\{", text):
            for selector in selectors.split(","):
                head = re.match(r"\s*[#.]([\w-]+)", selector)
                if sheet.stem not in (OTHER_APP, "app") and head and len(named(head[1])) > 1:
                    strays.append(f"{sheet.name}: {selector.strip()} meets {', '.join(sorted(named(head[1])))}")
    assert strays == []


async def test_choices_before_an_interview_are_all_there_after_another_screen(store: Store, library: Library) -> None:
    one = library.items["why-worse"]
    many = one.item.model_copy(update={"topics": tuple(f"topic-{number}" for number in range(40))})
    items = {**library.items, "why-worse": LoadedItem(many, one.bank_id, one.file, one.line, one.hash)}
    async with QuizApp(store, dataclasses.replace(library, items=items)).run_test(size=(80, 24)) as pilot:
        await until(pilot, "Welcome")
        await pilot.press("s")
        await until(pilot, "items to ask")
        await pilot.press("escape")
        await until(pilot, "Welcome")
        await pilot.press("i")
        text = await until(pilot, "Topics (Space ticks")
        assert "Seed" in text
        assert "topic 1" in text
