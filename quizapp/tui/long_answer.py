"""Answering in words, on several lines. Ctrl+S submits."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import TextArea

from quizapp.tui.answer_box import AnswerBox


class WritingArea(TextArea):
    """A text area that may be taken away while the screen is drawn: textual draws it once more, when its styles are gone."""

    def render_lines(self, crop: Region) -> list[Strip]:
        return super().render_lines(crop) if self.is_attached else [Strip.blank(crop.width)] * crop.height


class LongAnswer(AnswerBox):
    """Several lines of plain text."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "submit", "Answer", key_display="Ctrl+S", priority=True)]

    def __init__(self, value: str = "") -> None:
        super().__init__()
        self._first = value

    @property
    def value(self) -> str:
        return self.query_one(TextArea).text

    def fields(self) -> ComposeResult:
        area = WritingArea(self._first, placeholder="Write as you would say it. Ctrl+S gives the answer.")
        area.cursor_blink = False
        area.highlight_cursor_line = False
        yield area

    def focus_field(self) -> None:
        area = self.query_one(TextArea)
        self.screen.set_focus(area, scroll_visible=False)
        area.move_cursor(area.document.end)

    def action_submit(self) -> None:
        self.submit()

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.value != self._first:
            self._first = self.value
            self.edited()
