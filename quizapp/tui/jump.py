"""Jump mode: a letter on every field, button and option of the screen below; pressing it goes there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from quizapp.tui.key_line import KeyLine

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


def targets(screen: Screen[None]) -> Iterator[Widget]:
    """What can be jumped to: what takes the focus, or as it says itself (``JUMP``), where it can be seen."""
    seen = screen.region
    for widget in screen.query(Widget):
        wanted = getattr(widget, "JUMP", widget.focusable)
        if wanted and widget.display and widget.visible and seen.overlaps(widget.region) and widget.region.area:
            yield widget


def lettered(found: Sequence[Widget]) -> dict[str, Widget]:
    """A letter for each, where there are enough: an option's own (``jump_letter``), and what is left for the others."""
    own = [getattr(widget, "jump_letter", "") for widget in found]
    free = iter([letter for letter in LETTERS if letter not in own])
    return {letter: widget for widget, its in zip(found, own, strict=True) if (letter := its or next(free, ""))}


class Label(Static):
    """One letter over its target."""


class JumpScreen(ModalScreen[Widget | None]):
    """Gives the widget to go to, or ``None``."""

    CSS_PATH = "jump.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+o", "close", "Close", key_display="Esc", priority=True)]

    def __init__(self, found: list[Widget]) -> None:
        super().__init__()
        self.found = lettered(found)

    def compose(self) -> ComposeResult:
        taken: set[Offset] = set()
        for letter, widget in self.found.items():
            region = widget.region.intersection(
                self.app.screen_stack[-2].region if len(self.app.screen_stack) > 1 else widget.region
            )
            place = Offset(max(0, region.x - 1), region.y)
            while place in taken:
                place += Offset(4, 0)
            taken.add(place)
            label = Label(f" {letter} ", markup=False)
            label.styles.offset = place
            yield label
        yield Static(" Press a letter; Esc closes ", id="jump-hint", markup=False)
        yield KeyLine()

    def on_key(self, event: events.Key) -> None:
        letter = (event.character or "").lower()
        if letter in self.found:
            event.stop()
            self.dismiss(self.found[letter])

    def on_click(self) -> None:
        self.dismiss(None)

    def action_close(self) -> None:
        self.dismiss(None)
