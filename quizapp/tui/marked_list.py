"""A list whose marked option shows by a sign before it, and inverted where there are no colours; not by its colour alone."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import OptionList

MARK, NO_MARK = "› ", "  "


class MarkedList(OptionList):
    """Textual's list of options, with room for the sign before each."""

    MARKS_WITHOUT_FOCUS: ClassVar[bool] = True
    """The marked line means something while the keys go elsewhere."""

    def _get_left_gutter_width(self) -> int:
        return len(MARK)

    def render_line(self, y: int) -> Strip:
        line = super().render_line(y)
        option = self._option_of(line)
        if option is None:
            return line
        marked = option == self.highlighted
        top = self.scroll_offset.y + y == 0 or self._option_of(super().render_line(y - 1)) != option
        shown = top and (self.has_focus or self.MARKS_WITHOUT_FOCUS)
        first = next(iter(line))
        mark = Segment(MARK if shown and marked else NO_MARK, first.style)
        whole = Strip([mark, *line], line.cell_length + len(MARK))
        return whole.apply_style(Style(reverse=True)) if marked and self.app.no_color else whole

    @staticmethod
    def _option_of(line: Strip) -> int | None:
        """The index of the option that a line belongs to."""
        first = next(iter(line), None)
        found = None if first is None or first.style is None else first.style.meta.get("option")
        return found if isinstance(found, int) else None
