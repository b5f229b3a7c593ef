"""Before a sitting over a queue: what kind, which banks, difficulty, length, labs, topics. Enter begins with what stands there."""

from __future__ import annotations

from typing import ClassVar, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from quizapp.practice.queue import LENGTH, Knowledge, Plan, Selection, candidates
from quizapp.practice.review import TITLES, finding
from quizapp.tui.dial import Dial
from quizapp.tui.page import Page
from quizapp.tui.ticks import Ticks

LENGTHS = (5, 10, LENGTH, 40, 500)
EXPLAINED = {
    "mixed": "due, with new items between",
    "due": "only what is due now",
    "wrong": "not fully right the last time",
    "new": "never answered",
    "flagged": "what you have flagged (Ctrl+G)",
}


class ChooseScreen(Page):
    """The choices, each with a default, and how many items they hold."""

    CSS_PATH = "choose.tcss"
    ABOUT = """
**Choose a sitting.** `Enter` begins. The arrows move and change; in the list of topics `Space` ticks one, and with none ticked all
are asked. The line on top says how many items that makes. New items come in an order in which each stands after what it needs.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Begin", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._found: Knowledge | None = None

    def heading(self) -> tuple[str, str]:
        return "Choose a sitting", ""

    def body(self) -> ComposeResult:
        from quizapp.tui.app import quiz_app

        library = quiz_app(self).library
        assert library is not None
        kinds: tuple[Selection, ...] = get_args(Selection)
        yield Static("", id="count", markup=False)
        with VerticalScroll(id="choose", can_focus=False):
            with Vertical(id="dials"):
                yield Dial("Ask", [(kind, f"{TITLES[kind]}: {EXPLAINED[kind]}") for kind in kinds], "mixed", "selection")
                banks = [(bank.bank.id, bank.bank.title) for bank in library.banks]
                yield Dial("Banks", [("", "all banks"), *banks], "", "bank")
                levels = [(str(level), f"difficulty {level}") for level in range(1, 6)]
                yield Dial("Level", [("", "any difficulty"), *levels], "", "difficulty")
                lengths = [(str(length), f"at most {length} items" if length < 500 else "all of them") for length in LENGTHS]
                yield Dial("Length", lengths, str(LENGTH), "length")
                yield Dial("Labs", [("yes", "with code labs"), ("no", "without code labs")], "yes", "labs")
            yield Static("Topics (Space ticks; none ticked: all)", classes="caption")
            yield Ticks(id="topics")

    def on_mount(self) -> None:
        from quizapp.tui.app import quiz_app

        app = quiz_app(self)
        library = app.library
        assert library is not None
        self.query_one("#selection").focus()
        store = app.store
        find = self.stored(lambda: finding(store, library))
        if find is not None:
            self.reckon(find, self._take)

    def _take(self, found: Knowledge) -> None:
        self._found = found
        self._list_topics(set())

    def plan(self) -> Plan:
        """What stands there."""
        value = {dial.id: dial.value for dial in self.query(Dial)}
        kinds: tuple[Selection, ...] = get_args(Selection)
        return Plan(
            selection=next(kind for kind in kinds if kind == value["selection"]),
            banks=(value["bank"],) if value["bank"] else (),
            topics=tuple(self.query_one(Ticks).selected),
            difficulties=(int(value["difficulty"]),) if value["difficulty"] else (),
            labs=value["labs"] == "yes",
            length=int(value["length"]),
        )

    def _list_topics(self, ticked: set[str]) -> None:
        """The topics of the chosen banks, in the order in which the course meets them."""
        if self._found is None:
            return
        bank = self.query_one("#bank", Dial).value
        library = self._found.library
        counts: dict[str, int] = {}
        for name in self._found.course:
            loaded = library.items[name]
            if not bank or loaded.bank_id == bank:
                for topic in loaded.item.topics:
                    counts[topic] = counts.get(topic, 0) + 1
        titles = {name: topic.title for name, topic in library.topics.items()}
        lines = [(topic, f"{titles.get(topic, topic)} ({items})") for topic, items in counts.items()]
        self.query_one(Ticks).fill(lines, ticked)
        self._count()

    def _count(self) -> None:
        if self._found is None:
            return
        plan = self.plan()
        items = candidates(plan, self._found)
        due = sum(1 for name in items if self._found.is_due(name))
        new = sum(1 for name in items if name not in self._found.memory)
        asked = min(len(items), plan.length)
        line = f"{asked} item{'' if asked == 1 else 's'} to ask" + (f" of {len(items)}" if asked < len(items) else "")
        self.query_one("#count", Static).update(Content(f"{line} ({due} due, {new} new)."))

    @on(Dial.Turned)
    def _turned(self, event: Dial.Turned) -> None:
        if event.dial.id == "bank":
            self._list_topics(set(self.query_one(Ticks).selected))
        else:
            self._count()

    @on(Ticks.Changed)
    def _ticked(self) -> None:
        self._count()

    async def action_begin(self) -> None:
        from quizapp.tui.app import quiz_app

        app, plan = quiz_app(self), self.plan()
        if self._found is not None and candidates(plan, self._found):
            await app.pop_screen()
            app.review(plan, self._found)
        else:
            self.app.notify("Nothing is left to ask here; choose another kind, topic or difficulty.", timeout=5, markup=False)

    async def action_home(self) -> None:
        await self.app.pop_screen()
