"""The place for notes beside the questions of an interview."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static, TextArea


class Notes(Vertical):
    """What one thinks aloud: kept, shown in the debrief, never scored."""

    def compose(self) -> ComposeResult:
        yield Static("Notes (kept, not scored)", classes="caption")
        area = TextArea("", id="notes-area", placeholder="Think aloud here. F6 goes back to the answer.")
        area.cursor_blink = False
        area.highlight_cursor_line = False
        yield area
