"""Help: what this screen is for, its keys, and where the learner's data lies."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Markdown

from quizapp.tui.key_line import Key, KeyLine

GENERAL = """
**Everywhere**

- `F1`, or `?` where you are not typing: this help
- `Esc`: back; from a question, home
- `F3`, `F4`, `F5` while studying: back, skip, steps; `Ctrl+G` flags an item for later
- `Tab`, `Shift+Tab`: next or previous field or button
- `↑` `↓` `PgUp` `PgDn`: scroll
- `Ctrl+P`: all commands by name: sittings, banks, items, colours
- `Ctrl+O`: a letter on everything on the screen; press it to go there
- `Ctrl+Q`: quit; nothing that you typed is lost

✓ means right, earned or pass; ~ partly right; ✗ wrong or missed; ? can't tell; · not answered yet.
"""


class HelpScreen(ModalScreen[None]):
    """Shows a screen's own help above the general one."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,question_mark,q,enter", "dismiss", "Close", key_display="Esc", priority=True),
    ]

    def __init__(self, about: str, keys: Sequence[Key]) -> None:
        """``keys``: those of the screen below, as its last line would show them if it were long enough."""
        super().__init__()
        self._about, self._keys = about, keys

    def compose(self) -> ComposeResult:
        from quizapp.tui.app import quiz_app

        here = " · ".join(f"`{key.shown}` {key.does}" for key in self._keys)
        kept = f"\nYour answers are kept in `{quiz_app(self).store.path}`.\n"
        with VerticalScroll(id="help"):
            yield Markdown(f"{self._about}\n**Keys here**: {here}\n{GENERAL}{kept}")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#help").focus()
