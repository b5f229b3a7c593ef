"""The editor of a lab: Python colours where tree-sitter is installed, plain text where it isn't; Enter keeps the indent."""

import importlib.util

from textual import events
from textual.widgets import TextArea


def highlighted() -> bool:
    """True where Textual can colour Python."""
    return all(importlib.util.find_spec(name) is not None for name in ("tree_sitter", "tree_sitter_python"))


class CodeEditor(TextArea):
    """A text area for one Python file."""

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
