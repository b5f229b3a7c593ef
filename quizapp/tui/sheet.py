"""The base of what opens over a screen and closes again: its help, like any screen's, is one key away."""

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from quizapp.tui.key_line import keys_of

Given = TypeVar("Given")


class Sheet(ModalScreen[Given]):
    """Something over a screen. Subclasses give :attr:`ABOUT` and their keys."""

    ABOUT: ClassVar[str] = ""
    """What the help screen says of it, as Markdown."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", key_display="F1", priority=True),
        Binding("question_mark", "help", "Help", show=False),
    ]

    def action_help(self) -> None:
        from quizapp.tui.help import HelpScreen

        self.app.push_screen(HelpScreen(self.ABOUT, keys_of(self)))
