"""The weights of a released library that an item shows: recorded ones, or live ones where the library is installed and may run."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from quizapp.model.alike import Alike, in_names, named
from quizapp.model.audit import Audit, ItemAudit, Shown, Step, provenance
from quizapp.tui.page import Page
from quizapp.tui.weights import FEWEST_CELLS, MOST_CELLS, bars, figure, size_bar

if TYPE_CHECKING:
    from quizapp.audit.audit import Registry
    from quizapp.audit.library import Installed, Missing
    from quizapp.model.audit import Record

SECONDS = 180.0
AGREE = (
    "This starts the code of {library}, in {python}: {ranks} processes of this machine, with your rights and no sandbox. "
    "Nothing of it is kept. F10 again to agree."
)


def groups(step: Step) -> list[Alike]:
    """The rows of a step, each with the weight of its tokens; a row whose tokens differ gives several."""
    found: dict[tuple[int, int, int, float, float | None], int] = {}
    for w in step.views[0].weights:
        if w.label == "own" and w.rank is not None and w.microbatch is not None and (w.valid or w.given):
            key = (w.rank, w.microbatch, int(w.valid), w.wanted, None if w.given is None else float(f"{w.given:.9g}"))
            found[key] = found.get(key, 0) + 1
    return [Alike(rank, k, bool(valid), wanted, given, n) for (rank, k, valid, wanted, given), n in found.items()]


def largest(step: Step) -> float:
    return max((abs(value) for w in step.views[0].weights for value in (w.wanted, w.given or 0.0)), default=0.0)


def given_bars(rows: Sequence[Alike], longest: float, columns: int) -> Content:
    """One bar a row, of the weight given, within ``columns``: before the answer, what is wanted isn't told."""
    said = in_names(rows)
    names = [named(row, said) for row in rows]
    label, figures = max(map(len, names), default=0), [figure(row.given, longest) for row in rows]
    cells = max(FEWEST_CELLS, min(MOST_CELLS, columns - label - max(map(len, figures), default=0) - 3))
    return Content("\n").join(
        Content(f"{name.ljust(label)}  {size_bar(row.given, longest, cells).ljust(cells)} {text}")
        for name, row, text in zip(names, rows, figures, strict=True)
    )


def sections(report: Audit, steps: Sequence[int], answered: bool, columns: int) -> Iterator[tuple[str, Content]]:
    """Caption and weights of each step that the item shows; after the answer in pairs, wanted above given."""
    for step in report.steps:
        if steps and step.step + 1 not in steps:
            continue
        rows = groups(step)
        shown = bars(rows, largest(step), columns) if answered else given_bars(rows, largest(step), columns)
        yield f"Step {step.step + 1}: {step.tokens} valid tokens", shown
    if answered:
        yield "What it is", Content(report.summary)


class Looked(Message):
    """Whether the library is here is known."""

    def __init__(self, place: "Installed | Missing") -> None:
        super().__init__()
        self.place = place


class Ran(Message):
    """The library has run; or ``reason`` says why not, and ``details`` where and after which output."""

    def __init__(self, shown: Shown | None, reason: str = "", details: Sequence[str] = ()) -> None:
        super().__init__()
        self.shown, self.reason, self.details = shown, reason, details


class AuditedScreen(Page):
    """One library's weights."""

    CSS_PATH = "audited.tcss"
    ABOUT = """
**Weights of a library.** What the table of the question shows, as bars, and where it comes from: *recorded* with a version on a
day, or *live*. Where the item's environment holds the library, `F10` runs it here, once you have agreed: it is code of others, and
there is no sandbox around it. `Esc` goes back to the question, and ends a run. After your answer, the weight wanted stands above
the one given.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f10", "run", "Run it here", key_display="F10", priority=True),
        Binding("escape", "back", "Back", key_display="Esc", priority=True),
    ]

    def __init__(
        self, item: str, title: str, asked: ItemAudit, file: Path, answered: bool, registry: "Registry", kept: dict[str, Shown]
    ) -> None:
        """``file``: the bank's. ``kept``: item -> what ran earlier in this sitting; a run is put there."""
        super().__init__()
        self.item, self._title, self.asked, self.file = item, title, asked, file
        self.answered, self.registry, self.live = answered, registry, kept
        self.record: Record | None = None
        self.place: Installed | Missing | None = None
        self._agreeing = False
        self._began: float | None = None
        self._stop = threading.Event()

    def heading(self) -> tuple[str, str]:
        return f"{self._title} · weights", self.asked.requires[0].replace("==", " ")

    def body(self) -> ComposeResult:
        with VerticalScroll(id="audited"):
            yield Static("", id="provenance", markup=False)
            yield Static("", id="weights", markup=False)
            yield Static("", id="details", markup=False)
        yield Static("", id="status", markup=False)

    def on_mount(self) -> None:
        from quizapp.audit.library import recorded
        from quizapp.bank.record import RecordError, load_record

        self.set_interval(0.25, self._tick)
        try:
            self.record = load_record(self.file.parent / self.asked.record)
        except RecordError as error:
            self._say(str(error))
            return
        self._show(self.live.get(self.item) or recorded(self.item, self.asked, self.record))
        self._say("Looking for the library on this machine …")
        self._look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "run":
            from quizapp.audit.library import Installed

            return isinstance(self.place, Installed) and self._began is None
        return super().check_action(action, parameters)

    def _say(self, text: str) -> None:
        self.query_one("#status", Static).update(Content(text))

    def _show(self, shown: Shown) -> None:
        self.query_one("#provenance", Static).update(Content(provenance(shown)))
        columns = max(40, self.size.width - 6)
        parts = []
        for caption, text in sections(shown.report, self.asked.steps, self.answered, columns):
            parts.append(Content.assemble((f"{caption}\n", "bold $text-primary")) + text)
        self.query_one("#weights", Static).update(Content("\n\n").join(parts))

    @work(thread=True, exit_on_error=False)
    def _look(self) -> None:
        from quizapp.audit.library import look_for

        self.post_message(Looked(look_for(self.asked)))

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        from quizapp.audit.library import Installed

        self.place = event.place
        if isinstance(event.place, Installed):
            self._say(f"It is installed in {event.place.python}: F10 runs it here.")
        else:
            self._say(f"Not run here: {event.place.reason}. To make it:\n" + "\n".join(event.place.commands))
        self.refresh_bindings()

    def action_run(self) -> None:
        from quizapp.audit.library import Installed

        if self.record is None or not isinstance(self.place, Installed) or self._began is not None:
            return
        if not self._agreeing:
            self._agreeing = True
            ranks = self.record.report.ranks
            self._say(AGREE.format(library=self.asked.requires[0].partition("==")[0], python=self.place.python, ranks=ranks))
            return
        self._began = time.monotonic()
        self.refresh_bindings()
        self._tick()
        self._run(self.record, self.place.python)

    @work(thread=True, exit_on_error=False)
    def _run(self, record: "Record", python: str) -> None:
        from quizapp.audit.library import run_again
        from quizapp.audit.run import CannotRun

        try:
            shown = run_again(self.item, self.asked, record, python, self.registry, SECONDS, self._stop.is_set)
        except CannotRun as error:
            self.post_message(Ran(None, f"It can't be run: {error}", error.details))
        except Exception as error:
            self.post_message(Ran(None, f"The audit failed: {type(error).__name__}: {error}"))
        else:
            self.post_message(Ran(shown))

    @on(Ran)
    def _ran(self, event: Ran) -> None:
        self._began, self._agreeing = None, False
        self.refresh_bindings()
        details = self.query_one("#details", Static)
        details.update(Content("\n".join(event.details)))
        details.display = bool(event.details)
        if event.shown is None:
            self._say(event.reason)
            if event.details:
                self.query_one("#audited").scroll_end(animate=False)
            return
        self.live[self.item] = event.shown
        self._show(event.shown)
        self._say(f"It ran in {event.shown.python}. F10 runs it again.")

    def _tick(self) -> None:
        if self._began is not None:
            seconds = time.monotonic() - self._began
            self._say(f"Running {'|/-'[int(seconds * 4) % 3]} {seconds:.0f} s · Esc stops")

    def action_back(self) -> None:
        self._stop.set()
        self.app.pop_screen()
