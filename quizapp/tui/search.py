"""Finds an item of any bank as its words are typed; Enter studies it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from quizapp.practice.progress import BankProgress, library_progress
from quizapp.practice.search import TEXT, Entry, index, search, snippet
from quizapp.tui.inline import inline
from quizapp.tui.marked_list import MarkedList
from quizapp.tui.page import Page
from quizapp.tui.signs import sign, style


class SearchLine(Input):
    """The words to find; the arrows move in the list below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.move(1)", "Down", show=False),
        Binding("up", "screen.move(-1)", "Up", show=False),
        Binding("pagedown", "screen.move(8)", "Page down", show=False),
        Binding("pageup", "screen.move(-8)", "Page up", show=False),
        Binding("enter", "submit", "Study"),
    ]


class SearchScreen(Page):
    """A line to type in, and what was found."""

    CSS_PATH = "search.tcss"
    ABOUT = """
**Find an item.** Type words of its title, its id, its topic, its bank or its text: every word must occur. `↑` `↓` move, `Enter`
studies the marked item, `Esc` goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "home", "Home", key_display="Esc", priority=True)]

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[Entry, ...] = ()
        self._states: dict[str, str] = {}

    def heading(self) -> tuple[str, str]:
        return "Find an item", ""

    def body(self) -> ComposeResult:
        line = SearchLine(placeholder="words of a title, topic, bank, id or text", compact=True, id="words")
        line.cursor_blink = False
        yield line
        found = MarkedList(id="found")
        found.can_focus = False
        yield found
        yield Static("", id="none", markup=False)

    def on_mount(self) -> None:
        from quizapp.tui.app import quiz_app

        app = quiz_app(self)
        library = app.library
        assert library is not None
        self.query_one(SearchLine).focus()
        marks = self.stored(app.store.marks) or []
        self.reckon(lambda: (index(library), library_progress(library, marks)), self._take)

    def _take(self, found: tuple[tuple[Entry, ...], dict[str, BankProgress]]) -> None:
        self._entries = found[0]
        self._states = {item.item: item.state for bank in found[1].values() for item in bank.items}
        self._show(self.query_one(SearchLine).value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, query: str) -> None:
        found = search(self._entries, query)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(Option(self._line(entry, query), id=entry.item) for entry in found)
        options.display = bool(found)
        if found:
            options.highlighted = 0
        none = self.query_one("#none", Static)
        none.display = not found
        words = f"{len(self._entries)} items in all banks." if not query.strip() else "No item has all these words."
        none.update(Content(words))

    def _line(self, entry: Entry, query: str) -> Content:
        state = self._states.get(entry.item, "new")
        columns = max(30, self.app.size.width - 14)  # a list that scrolls has two columns less
        told = all(any(word in field for field in entry.words[:TEXT]) for word in query.lower().split())
        below = f"{entry.bank} · {', '.join(entry.topics)}" if told else snippet(entry, query, columns)
        name = "" if entry.title == entry.item else f"  {entry.item}"
        # What wraps would begin at the left edge, below the sign.
        top = Content.assemble((f"{sign(state)} ", style(state)), inline(entry.title, "bold"), (name, "$foreground-muted"))
        return Content("\n").join(line.truncate(columns + 2, ellipsis=True) for line in (top, Content(f"  {below}")))

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if options.option_count and options.highlighted is not None:
            options.highlighted = max(0, min(options.option_count - 1, options.highlighted + by))

    @on(Input.Submitted)
    def _submitted(self) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None and options.option_count:
            self._study(options.get_option_at_index(options.highlighted).id)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._study(event.option_id)

    def _study(self, item: str | None) -> None:
        from quizapp.tui.app import quiz_app

        app = quiz_app(self)
        if item is not None and app.library is not None:
            app.study(app.library.items[item].bank_id, item)

    async def action_home(self) -> None:
        await self.app.pop_screen()
