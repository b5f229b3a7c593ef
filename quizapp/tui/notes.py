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

    @property
    def area(self) -> TextArea:
        """What is written in."""
        return self.query_one("#notes-area", TextArea)

    def show(self, text: str) -> None:
        """Shows the notes beside another question; nobody is told that they have changed."""
        with self.prevent(TextArea.Changed):
            self.area.load_text(text)

    def take_focus(self) -> None:
        """Puts the cursor at their end, once they are displayed: until then they take no focus."""
        self.area.move_cursor(self.area.document.end)
        self.call_after_refresh(self.area.focus)
