"""Answering with one line: a number or an expression. Enter submits."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from quizapp.tui.answer_box import AnswerBox


class Line(Input):
    """An input whose Enter stands in the footer."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Answer")]


class ShortAnswer(AnswerBox):
    """One line, with a note above that says what is accepted."""

    def __init__(self, note: str, placeholder: str, value: str = "") -> None:
        super().__init__()
        self._note, self._placeholder, self._first = note, placeholder, value

    @property
    def value(self) -> str:
        return self.query_one(Line).value

    def fields(self) -> ComposeResult:
        if self._note:
            yield Static(self._note, classes="note", markup=False)
        line = Line(self._first, placeholder=self._placeholder, select_on_focus=False, compact=True)
        line.cursor_blink = False
        yield line

    def focus_field(self) -> None:
        self.screen.set_focus(self.query_one(Line), scroll_visible=False)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._first:
            self._first = event.value
            self.edited()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.submit()
