"""A list in which several lines can be ticked. What is ticked shows in the box, not only in its colour."""

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from quizapp.tui.marked_list import MarkedList


class Ticks(MarkedList):
    """Lines with a box each; space or a click ticks one."""

    MARKS_WITHOUT_FOCUS = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "select", "Tick", key_display="Space")]

    class Changed(Message):
        """Other lines are ticked now."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, compact=True)
        self._shown: dict[str, str] = {}
        self._ticked: set[str] = set()

    @property
    def selected(self) -> list[str]:
        """What is ticked, in the order of the lines."""
        return [name for name in self._shown if name in self._ticked]

    def fill(self, lines: Iterable[tuple[str, str]], ticked: Iterable[str] = ()) -> None:
        """New lines: what each stands for, and how it is shown. Ticks of lines that are gone are gone."""
        self._shown = dict(lines)
        self._ticked = {name for name in ticked if name in self._shown}
        self.clear_options()
        self.add_options(Option(self._line(name), id=name) for name in self._shown)

    def _line(self, name: str) -> Content:
        box, look = ("[x] ", "bold") if name in self._ticked else ("[ ] ", "")
        return Content.assemble(box, (self._shown[name], look))

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if has_focus and self.highlighted is None and self._shown:
            self.highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = event.option_id
        if name is not None:
            self._ticked ^= {name}
            self.replace_option_prompt(name, self._line(name))
            self.post_message(self.Changed())
