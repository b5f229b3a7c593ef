"""The base of every screen: a heading line, a footer with the keys, help, and one line where the terminal is too small."""

from collections.abc import Callable
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from quizapp.store.database import StoreError
from quizapp.tui.key_line import KeyLine, keys_of

SMALLEST = (60, 18)
"""Columns and rows below which nothing useful fits."""
Result = TypeVar("Result")


class Heading(Horizontal):
    """One line at the top: where the learner is, and how far."""

    def __init__(self, left: str, right: str = "") -> None:
        super().__init__()
        self._left, self._right = left, right

    def compose(self) -> ComposeResult:
        yield Static(self._left, id="heading-left", markup=False)
        yield Static(self._right, id="heading-right", markup=False)

    def say(self, left: str, right: str) -> None:
        """Replaces both texts."""
        self.query_one("#heading-left", Static).update(left)
        self.query_one("#heading-right", Static).update(right)


class Reckoned(Message):
    """Something that took long is there; ``show`` shows it."""

    def __init__(self, show: Callable[[], None]) -> None:
        super().__init__()
        self.show = show


class Page(Screen[None]):
    """A screen of the app. Subclasses give :meth:`body`, :attr:`ABOUT` and their keys."""

    ABOUT: ClassVar[str] = ""
    """What the help screen says of this screen, as Markdown."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", key_display="F1", priority=True),
        Binding("question_mark", "help", "Help", show=False),
        Binding("ctrl+o", "jump", "Jump", show=False, priority=True),
    ]

    def heading(self) -> tuple[str, str]:
        """Left and right text of the first line."""
        return "quizapp", ""

    def body(self) -> ComposeResult:
        """The screen's own widgets."""
        yield from ()

    def compose(self) -> ComposeResult:
        yield Heading(*self.heading())
        yield from self.body()
        yield KeyLine()
        yield Static("", id="too-small", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        columns, rows = event.size
        small = columns < SMALLEST[0] or rows < SMALLEST[1]
        self.set_class(small, "-too-small")
        self.set_class(columns < 72, "-narrow")
        self.set_class(columns >= 110, "-wide")
        self.set_class(columns >= 160, "-broad")
        self.set_class(rows >= 36, "-tall")
        if small:
            line = f"terminal too small: {columns}x{rows}, needs {SMALLEST[0]}x{SMALLEST[1]}"
            self.query_one("#too-small", Static).update(Content(line))

    def leave(self) -> None:
        """Called before the screen goes away; subclasses write what they hold."""

    def action_help(self) -> None:
        from quizapp.tui.help import HelpScreen

        self.app.push_screen(HelpScreen(self.ABOUT, keys_of(self)))

    def action_jump(self) -> None:
        """Puts a letter on all that can be gone to; pressing it goes there."""
        from quizapp.tui.jump import JumpScreen, targets

        def go(widget: Widget | None) -> None:
            if widget is None:
                return
            if widget.focusable:
                widget.focus()
            else:
                widget.jumped()  # type: ignore[attr-defined]

        if self.app.screen is self:
            self.app.push_screen(JumpScreen(list(targets(self))), go)

    def reckon(self, work: Callable[[], Result], show: Callable[[Result], None]) -> None:
        """Works something out in a thread, so that keys are answered meanwhile, and then shows it. ``work`` must not use the store;
        of several under way on one screen the latest is shown."""

        def run() -> None:
            found = work()
            if not get_current_worker().is_cancelled:
                self.post_message(Reckoned(lambda: show(found)))

        self.run_worker(run, thread=True, exclusive=True, group="reckon")

    @on(Reckoned)
    def _reckoned(self, event: Reckoned) -> None:
        event.stop()
        if self.is_attached:
            event.show()

    def stored(self, write: Callable[[], Result]) -> Result | None:
        """Runs a write to the store; where it fails, says so and gives ``None``. The app lives on."""
        try:
            return write()
        except StoreError as error:
            self.app.notify(str(error), title="Not saved", severity="error", timeout=15, markup=False)
            return None

    def kept(self, write: Callable[[], None]) -> bool:
        """Runs a write that gives nothing back, as :meth:`stored` does; whether it went well."""

        def done() -> bool:
            write()
            return True

        return bool(self.stored(done))
