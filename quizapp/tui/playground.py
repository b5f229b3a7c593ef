"""The playground's screen: token counts, loss sums and a way of normalizing; weights and means appear as they are typed."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from quizapp.judge.in_numbers import said
from quizapp.model.alike import Alike
from quizapp.practice.playground import WAYS, Outcome, SetupError, SumsError, Way, outcome, read_setup
from quizapp.tui.marked_list import MarkedList
from quizapp.tui.page import Heading, Page
from quizapp.tui.weights import bars

FIRST = ("1 | 3", "4 | 0", "")
"""What the screen opens with: two ranks with 1 and 3 tokens, sums 4 and 0."""
EDGE = 6


def drawn(made: Outcome, columns: int) -> Content:
    """The weight of each microbatch's tokens, as pairs of bars."""
    groups = [
        Alike(cell.rank, cell.microbatch, True, float(cell.wanted), None if cell.given is None else float(cell.given), cell.tokens)
        for cell in made.cells
        if cell.tokens
    ]
    sizes = [abs(value) for group in groups for value in (group.wanted, group.given) if value is not None]
    return bars(groups, max(sizes, default=0.0), columns)


EMPTY = {"sums": "empty: every token's loss is 1", "planned": "empty: as many as there are"}
"""What an empty field stands for."""


def told(made: Outcome, way: Way, title: str | None) -> Content:
    """Both means, the sign that says whether the weights are right, and what else there is to see."""
    right = made.is_right and made.given is not None
    given = "NaN" if made.given is None else said(made.given)
    mark = ("✓ every token has its weight", "$text-success") if right else ("✗ other weights than meant", "$text-error")
    lines = [
        Content.assemble(
            "wanted ", (said(made.wanted), "bold"), "   this way ", (given, "bold"), f"   a token weighs {way.formula}   ", mark
        )
    ]
    if title is not None and not right:
        lines.append(Content.assemble((title, "$foreground-muted")))
    lines += [Content.assemble((f"! {note}", "$text-warning")) for note in made.notes]
    return Content("\n").join(lines)


class PlaygroundScreen(Page):
    """No code and no ranks: numbers in, weights out."""

    CSS_PATH = "playground.tcss"
    ABOUT = """
**The playground.** Type how many valid tokens each rank holds, `1 | 3`; with several microbatches `1+2 | 3+0`. Type the sums of
their losses the same way, or leave them empty: then every token's loss is 1. `↑` and `↓` choose a way of normalizing from anywhere;
below stand the mean that was meant, the one that this way makes, and the weight of every token; `PgDn` and `PgUp` move through them
where they are many. `Tab` goes to the next field.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "home", "Home", key_display="Esc"),
        Binding("up", "way(-1)", "Way", key_display="↑", show=False, priority=True),
        Binding("down", "way(1)", "Way", key_display="↑↓", priority=True),
        Binding("tab", "app.focus_next", "Field", key_display="Tab"),
        Binding("pageup", "scroll(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "scroll(1)", "More", key_display="PgDn", priority=True),
    ]

    def heading(self) -> tuple[str, str]:
        return "playground", "one optimizer step under DDP"

    def body(self) -> ComposeResult:
        labels = ("valid tokens, 1+2 | 3+0", "sums of their losses", "planned microbatches")
        with Vertical(id="given"):
            for name, label, first in zip(("counts", "sums", "planned"), labels, FIRST, strict=True):
                with Horizontal():
                    yield Label(label)
                    yield Input(first, id=name, compact=True, select_on_focus=False, placeholder=EMPTY.get(name, ""))
        ways = MarkedList(*(Option(f"{way.title}", id=way.id) for way in WAYS), id="ways", compact=True)
        ways.can_focus = False
        yield ways
        with VerticalScroll(id="made", can_focus=False):
            yield Static("", id="numbers")
            yield Static("", id="weights")

    def on_mount(self) -> None:
        for field in self.query(Input):
            field.cursor_blink = False
        self.query_one(OptionList).highlighted = 1
        self.query_one("#counts").focus()
        self.watch(self.query_one("#made"), "show_vertical_scrollbar", self.refresh_bindings, init=False)
        self._draw()

    @on(events.Resize)
    def _resized(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self._draw)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "scroll":
            return any(view.max_scroll_y > 0 for view in self.query("#made"))
        return super().check_action(action, parameters)

    @on(Input.Changed)
    def _changed(self) -> None:
        self._draw()

    @on(OptionList.OptionHighlighted)
    def _chosen(self) -> None:
        self._draw()

    def action_way(self, by: int) -> None:
        ways = self.query_one(OptionList)
        ways.highlighted = ((ways.highlighted or 0) + by) % len(WAYS)

    def action_scroll(self, pages: int) -> None:
        view = self.query_one("#made", VerticalScroll)
        view.scroll_relative(y=pages * max(view.size.height - 2, 1), animate=False)

    def action_home(self) -> None:
        self.app.pop_screen()

    def _title(self, way: Way) -> str | None:
        from quizapp.tui.app import quiz_app

        library = quiz_app(self).library
        known = library.registry.get(way.misconception) if library is not None and way.misconception is not None else None
        return known.title if known is not None else None

    def _draw(self) -> None:
        way = WAYS[self.query_one(OptionList).highlighted or 0]
        numbers, weights = self.query_one("#numbers", Static), self.query_one("#weights", Static)
        counts, sums, planned = (self.query_one(f"#{name}", Input).value for name in ("counts", "sums", "planned"))
        lead = Content("")
        try:
            try:
                setup = read_setup(counts, sums, planned)
            except SumsError as error:
                setup = read_setup(counts, "", planned)
                lead = Content.assemble((f"! {error}. Until then every loss counts as 1.\n", "$text-warning"))
        except SetupError as error:
            numbers.update(Content(str(error)))
            weights.update("")
            return
        made = outcome(setup, way)
        self.query_one(Heading).say(f"playground · {way.title}", self.heading()[1])
        numbers.update(lead + told(made, way, self._title(way)))
        weights.update(drawn(made, max(40, self.app.size.width - EDGE)))
