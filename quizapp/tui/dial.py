"""One line that holds a choice among a few: left and right turn it, so do a click and the space bar."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class Dial(Static, can_focus=True):
    """A label and one of several values."""

    DEFAULT_CSS = """
    Dial { height: 1; width: 100%; }
    Dial:focus { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "Change", key_display="←→"),
        Binding("right,space", "turn(1)", "Next", show=False),
        Binding("up", "app.focus_previous", "Up", show=False),
        Binding("down", "app.focus_next", "Down", show=False),
    ]

    class Turned(Message):
        """Another value is chosen."""

        def __init__(self, dial: "Dial") -> None:
            super().__init__()
            self.dial = dial

    def __init__(self, label: str, values: list[tuple[str, str]], chosen: str, id: str) -> None:
        """``values``: what is chosen, and how it is shown."""
        super().__init__(id=id, markup=False)
        self._label = label
        self.values = values
        self.index = next((at for at, (value, _) in enumerate(values) if value == chosen), 0)

    @property
    def value(self) -> str:
        return self.values[self.index][0]

    def on_mount(self) -> None:
        self._draw()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._draw()

    def _draw(self) -> None:
        mark = "› " if self.has_focus else "  "
        one = len(self.values) == 1
        shown = self.values[self.index][1]
        self.update(
            Content.assemble(
                mark, (f"{self._label:<10}", "$foreground-muted"), "" if one else "‹ ", (shown, "bold"), "" if one else " ›"
            )
        )

    def action_turn(self, by: int) -> None:
        self.index = (self.index + by) % len(self.values)
        self._draw()
        self.post_message(self.Turned(self))

    def on_click(self) -> None:
        self.focus()
        self.action_turn(1)
