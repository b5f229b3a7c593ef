"""The editor of a lab: Python colours where tree-sitter is installed, plain text where it isn't; Enter keeps the indent."""

import importlib.util
from collections.abc import Mapping
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme

from quizapp.tui import themes

SYNTAX: Mapping[str, str] = {
    "keyword conditional keyword.function keyword.return keyword.operator repeat exception include": "keyword",
    "string string.documentation": "string",
    "comment": "comment",
    "number float boolean constant.builtin": "number",
    "class type.class type type.builtin constructor": "type",
    "function function.call method method.call": "function",
}
"""tree-sitter's names of what stands in Python -> what they are coloured as."""
COLOURS: Mapping[str, Mapping[str, str]] = {
    themes.LIGHT: {
        "keyword": "#7a1f6b",
        "string": "#7c2d12",
        "comment": "#2f5520",
        "number": "#0b4a2f",
        "type": "#00505a",
        "function": "#00408a",
    },
    themes.CONTRAST: {
        "keyword": "#ffafff",
        "string": "#ffd7af",
        "comment": "#afd7af",
        "number": "#d7ffd7",
        "type": "#5fffd7",
        "function": "#ffffaf",
    },
}
"""Look -> colours of code that can be read on its background. Other looks take Textual's own, made for a dark one."""


def coloured(look: str) -> TextAreaTheme:
    """The colours of code in one of the looks of :data:`COLOURS`."""
    colours = COLOURS[look]
    syntax = {name: Style(color=colours[kind]) for names, kind in SYNTAX.items() for name in names.split()}
    return TextAreaTheme(name=look, syntax_styles=syntax)


def highlighted() -> bool:
    """True where Textual can colour Python."""
    return all(importlib.util.find_spec(name) is not None for name in ("tree_sitter", "tree_sitter_python"))


class CodeEditor(TextArea):
    """A text area for one Python file."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "to_start", "Start of the file", show=False),
        Binding("ctrl+end", "to_end", "End of the file", show=False),
    ]

    def __init__(self, text: str) -> None:
        super().__init__(
            text,
            language="python" if highlighted() else None,
            soft_wrap=False,
            tab_behavior="indent",
            show_line_numbers=True,
            id="editor",
        )
        self.cursor_blink = False
        for look in COLOURS:
            self.register_theme(coloured(look))

    def on_mount(self) -> None:
        self.watch(self.app, "theme", self._take_colours)

    def _take_colours(self, look: str) -> None:
        self.theme = look if look in COLOURS else "css"

    def action_to_start(self) -> None:
        self.move_cursor((0, 0))

    def action_to_end(self) -> None:
        self.move_cursor(self.document.end)

    async def on_key(self, event: events.Key) -> None:
        if event.key != "enter" or self.read_only:
            return
        event.stop()
        event.prevent_default()
        row, column = self.selection.start
        line = self.document.get_line(min(row, self.selection.end[0]))[:column]
        indent = line[: len(line) - len(line.lstrip())]
        if line.rstrip().endswith(":"):
            indent += "    "
        self._replace_via_keyboard("\n" + indent, *self.selection)
