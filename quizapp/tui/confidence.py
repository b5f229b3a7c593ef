"""Asks how sure the learner is, after the answer is given and before anything about it is shown. Keys 1 to 5.

No level is marked until an arrow marks one: an Enter too many must not rate.
"""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Static

LEVELS = ("a guess", "unsure", "so-so", "sure", "certain")
BACK = "(Esc: change the answer)"


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


class Confidence(Widget, can_focus=True):
    """Five buttons."""

    JUMP: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "mark(-1)", "Left", show=False),
        Binding("right", "mark(0)", "Right", show=False),
        Binding("enter", "ask", "Rate", show=False),
        Binding("1", "rate(1)", "Rate", key_display="1-5"),
        *(Binding(str(level), f"rate({level})", LEVELS[level - 1], show=False) for level in range(2, 6)),
    ]

    class Rated(Message):
        """The learner's own rating, 1 to 5."""

        def __init__(self, level: int) -> None:
            super().__init__()
            self.level = level

    def compose(self) -> ComposeResult:
        yield Static(f"How sure are you? Then you see the result. {BACK}", id="ask-how-sure", markup=False)
        with Horizontal():
            for level in range(1, 6):
                yield ConfidenceButton(level)

    def on_mount(self) -> None:
        self.screen.set_focus(self, scroll_visible=False)

    def action_mark(self, at: int) -> None:
        """Marks a level, which Enter then takes."""
        self.query(ConfidenceButton)[at].focus()

    def action_ask(self) -> None:
        self.query_one("#ask-how-sure", Static).update(f"! How sure are you? Press 1 to 5, or an arrow and Enter. {BACK}")

    def action_rate(self, level: int) -> None:
        self.post_message(self.Rated(level))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        assert isinstance(event.button, ConfidenceButton)
        self.post_message(self.Rated(event.button.level))
