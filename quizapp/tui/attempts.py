"""A lab's attempts: when, with which outcome, and what was changed since the one before. Enter shows the verdict again."""

import difflib
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from quizapp.store.record import Attempt
from quizapp.tui.key_line import KeyLine
from quizapp.tui.marked_list import MarkedList
from quizapp.tui.page import Heading
from quizapp.tui.sheet import Sheet
from quizapp.tui.signs import sign, style, word

_LOOKS = {"+": "$text-success", "-": "$text-error", "@": "$text-accent"}


def changes(before: str, after: str, *, first: bool = False) -> Content:
    """A unified diff; every line begins with the sign that its colour repeats. ``first``: nothing was run before."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]
    if not lines:
        return Content("nothing changed: this is the starting code" if first else "nothing changed since the run before")
    return Content("\n").join([Content.assemble((line or " ", _LOOKS.get(line[:1], ""))) for line in lines])


class AttemptsScreen(Sheet[Attempt | None]):
    """Newest first. Dismissed with the attempt whose verdict is wanted."""

    CSS_PATH = "attempts.tcss"
    ABOUT = """
**Attempts.** Your runs of this lab, the newest first; below, what you changed since the run before. `↑` `↓` go from one to the
next, `Enter` shows its verdict again, `Tab` goes to the changes to scroll them. `Esc` goes back to your code.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "chosen", "Verdict", priority=True),
        Binding("escape", "app.pop_screen", "Back to the code", key_display="Esc"),
    ]

    def __init__(self, title: str, attempts: Sequence[Attempt], starter: str) -> None:
        """``attempts`` oldest first; the first one is compared with ``starter``."""
        super().__init__()
        self._title = title
        before = [starter, *(attempt.text for attempt in attempts)]
        self._rows = [*zip(attempts, before, strict=False)][::-1]

    def compose(self) -> ComposeResult:
        yield Heading(f"{self._title} · attempts", str(len(self._rows)))
        yield MarkedList(
            *(
                Option(
                    Content.assemble(
                        f"{attempt.at.astimezone():%Y-%m-%d %H:%M}  ",
                        (f"{sign(attempt.outcome)} {word(attempt.outcome)}", style(attempt.outcome)),
                    )
                )
                for attempt, _ in self._rows
            ),
            id="attempts",
            compact=True,
        )
        with VerticalScroll(id="changes"):
            yield Static("", id="diff")
        yield KeyLine()

    def on_mount(self) -> None:
        attempts = self.query_one("#attempts", OptionList)
        attempts.highlighted = 0
        attempts.focus()

    @on(OptionList.OptionHighlighted)
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        attempt, before = self._rows[event.option_index]
        self.query_one("#diff", Static).update(changes(before, attempt.text, first=event.option_index == len(self._rows) - 1))

    def action_chosen(self) -> None:
        self.dismiss(self._rows[self.query_one("#attempts", OptionList).highlighted or 0][0])
