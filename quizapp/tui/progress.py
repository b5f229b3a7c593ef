"""How it is going: points, topics, what falls due, confidence, misconceptions, time; each as a plot and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static, Tab, Tabs

from quizapp.practice.insight import Insight, insight
from quizapp.practice.progress import BankProgress, bank_progress
from quizapp.practice.queue import knowledge
from quizapp.practice.standing import Opinions, as_they_stand, denied
from quizapp.tui import insight_plots, insight_tables
from quizapp.tui.page import Page
from quizapp.tui.signs import points

if TYPE_CHECKING:
    from textual_plotext import PlotextPlot

    from quizapp.bank.load import LoadedBank

SETTING = "progress-as-tables"
"""The name under which the store keeps that somebody wants tables."""
SECTIONS = {
    "items": "1 Items",
    "topics": "2 Topics",
    "due": "3 Due",
    "confidence": "4 Confidence",
    "misconceptions": "5 Misconceptions",
    "time": "6 Time",
}


class ProgressScreen(Page):
    """Six sections; all but the first can be plots."""

    CSS_PATH = "progress.tcss"
    ABOUT = """
**Progress.** `1` to `6`, or `←` `→`, go through the sections; `v` changes between plots and tables, which a screen reader can read;
that is remembered. Mastery is the chance that you recall an item now, times what its last answer earned, over all items of a topic.
The Brier score is the mean squared distance between how sure you were and what you earned: 0 is perfect. A misconception is
*overcome* once an answer that could show it did not. `quizapp stats --json` gives the same figures to programs.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "Section", key_display="←→", priority=True),
        Binding("right", "turn(1)", "Next", show=False, priority=True),
        *(Binding(str(number), f"section('{name}')", name, show=False) for number, name in enumerate(SECTIONS, 1)),
        Binding("v", "view", "Plot or table"),
        Binding("b", "bank", "Next bank"),
        Binding("escape,q,p", "home", "Home", key_display="Esc"),
    ]

    def __init__(self, bank: str | None) -> None:
        """``bank``: whose items are shown first; ``None``: the first one's."""
        super().__init__()
        self._bank_id = bank
        self.section = "items"
        self.tables = False
        self._insight: Insight | None = None
        self._denied: frozenset[str] = frozenset()
        self._flagged: frozenset[str] = frozenset()
        self._progress: dict[str, BankProgress] = {}

    def heading(self) -> tuple[str, str]:
        return "Progress", ""

    def body(self) -> ComposeResult:
        from textual_plotext import PlotextPlot

        yield Tabs(*(Tab(title, id=name) for name, title in SECTIONS.items()), id="sections")
        with VerticalScroll(id="progress"):
            yield Static("", id="lead", markup=False)
            yield Static("", id="table")
            yield PlotextPlot(id="plot")

    def on_mount(self) -> None:
        from quizapp.tui.app import quiz_app

        app = quiz_app(self)
        library = app.library
        assert library is not None
        self.query_one(Tabs).can_focus = False
        self.query_one("#progress").focus()

        store = app.store
        read = self.stored(
            lambda: (*as_they_stand(store, library), store.flagged(), tuple(store.recommended()), Opinions.of(store))
        )
        if read is None:
            return
        marks, named, flagged, recommended, opinions = read
        self._denied = denied(library, marks, named, opinions)
        self._flagged = flagged
        self.tables = self.stored(lambda: store.setting(SETTING)) == "yes"
        now = store.clock()

        def work() -> Insight:
            return insight(knowledge(library, marks, now, flagged, recommended), marks, named)

        def show(found: Insight) -> None:
            self._insight = found
            self._progress = {bank.bank.id: bank_progress(bank, marks) for bank in library.banks}
            self._show()

        self.query_one("#lead", Static).update(Content("Reckoning …"))
        self.query_one("#plot").display = False
        self.reckon(work, show)

    @property
    def _banks(self) -> tuple[LoadedBank, ...]:
        from quizapp.tui.app import quiz_app

        library = quiz_app(self).library
        return library.banks if library is not None else ()

    def _bank(self) -> LoadedBank | None:
        return next((bank for bank in self._banks if bank.bank.id == self._bank_id), next(iter(self._banks), None))

    def on_tabs_tab_activated(self, event: Tabs.TabActivated) -> None:
        if event.tab.id is not None and event.tab.id != self.section:
            self.section = event.tab.id
            self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "view":
            return self.section != "items"
        if action == "bank":
            return self.section == "items" and len(self._banks) > 1
        return super().check_action(action, parameters)

    def action_section(self, name: str) -> None:
        self.query_one(Tabs).active = name

    def action_turn(self, by: int) -> None:
        names = list(SECTIONS)
        self.action_section(names[(names.index(self.section) + by) % len(names)])

    def action_bank(self) -> None:
        shown = self._bank()
        places = [bank.bank.id for bank in self._banks]
        if shown is not None:
            self._bank_id = places[(places.index(shown.bank.id) + 1) % len(places)]
            self._show()

    def action_view(self) -> None:
        from quizapp.tui.app import quiz_app

        self.tables = not self.tables
        self.kept(lambda: quiz_app(self).store.set(SETTING, "yes" if self.tables else "no"))
        self._show()

    async def action_home(self) -> None:
        await self.app.pop_screen()

    def _show(self) -> None:
        found = self._insight
        if found is None:
            return
        table, plot = self.query_one("#table", Static), self.query_one("#plot")
        drawn = False
        if self.section == "items":
            bank = self._bank()
            progress = self._progress[bank.bank.id] if bank is not None else BankProgress("", ())
            title = bank.bank.title if bank is not None else ""
            lead = f"{title} · {points(progress.points, progress.max_points)}"
            table.update(insight_tables.items(progress, self._flagged))
        else:
            lead = insight_tables.lead(self.section, found, self._denied)
            rows = insight_tables.table(self.section, found, self._denied)
            table.update(rows if rows is not None else Content(insight_tables.NOTHING[self.section]))
            drawn = rows is not None and not self.tables
            if drawn:
                self._draw(found)
        self.query_one("#lead", Static).update(Content(lead))
        table.display, plot.display = not drawn, drawn
        self.query_one("#heading-right", Static).update(
            f"{found.answers} answer{'' if found.answers == 1 else 's'} · {found.due} due · {found.new} new"
        )
        self.query_one("#progress", VerticalScroll).scroll_home(animate=False)
        self.refresh_bindings()

    def _draw(self, found: Insight) -> None:
        view: PlotextPlot = self.query_one("#plot")  # type: ignore[assignment]
        insight_plots.draw(view.plt, self.section, found, narrow=self.app.size.width < 100)
        view.styles.height = insight_plots.height(self.section, found, self.app.size.height - 7)
        view.refresh()
