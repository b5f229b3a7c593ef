"""Asks how sure the learner is, after the answer is given and before anything about it is shown. Keys 1 to 5."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Static

LEVELS = ("a guess", "unsure", "so-so", "sure", "certain")


class ConfidenceButton(Button):
    """One level; the arrows go to its neighbours."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", "Left", show=False),
        Binding("right", "app.focus_next", "Right", show=False),
        Binding("enter", "press", "Rate", show=False),
    ]

    def __init__(self, level: int) -> None:
        super().__init__(f"{level} {LEVELS[level - 1]}", compact=True)
        self.level = level


class Confidence(Widget):
    """Five buttons."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "rate(1)", "Rate", key_display="1-5"),
        *(Binding(str(level), f"rate({level})", LEVELS[level - 1], show=False) for level in range(2, 6)),
    ]

    class Rated(Message):
        """The learner's own rating, 1 to 5."""

        def __init__(self, level: int) -> None:
            super().__init__()
            self.level = level

    def compose(self) -> ComposeResult:
        yield Static("How sure are you? Then you see the result. (Esc: change the answer)", markup=False)
        with Horizontal():
            for level in range(1, 6):
                yield ConfidenceButton(level)

    def on_mount(self) -> None:
        self.screen.set_focus(self.query(ConfidenceButton)[2], scroll_visible=False)

    def action_rate(self, level: int) -> None:
        self.post_message(self.Rated(level))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        assert isinstance(event.button, ConfidenceButton)
        self.post_message(self.Rated(event.button.level))
