"""What every way of answering has in common: a value, a line for faults, and messages when it changes or is submitted."""

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static


def written(screen: Screen[None]) -> str | None:
    """What stands in a screen's box now, though it may not have told yet; ``None`` where there is no box."""
    boxes = [box for box in screen.query(AnswerBox) if box.is_attached and box.children]
    return boxes[0].value if boxes else None


class AnswerBox(Widget):
    """Takes one answer as text. Subclasses give :meth:`fields`, :attr:`value` and :meth:`focus_field`."""

    class Edited(Message):
        """The answer is another one now."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    class Submitted(Message):
        """The learner gives this answer."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    @property
    def value(self) -> str:
        """The answer as it would be scored."""
        raise NotImplementedError

    def fields(self) -> ComposeResult:
        """The widgets to answer with."""
        yield from ()

    def focus_field(self) -> None:
        """Puts the cursor where the answer goes, at once: letters may be on their way."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield from self.fields()
        yield Static("", classes="fault", markup=False)

    def complain(self, message: str) -> None:
        """Says why this can't be scored; the answer stays."""
        fault = self.query_one(".fault", Static)
        fault.update(Content(f"! {message}" if message else ""))
        fault.display = bool(message)

    def submit(self) -> None:
        """Submits what is there; nothing at all is refused."""
        if not self.value.strip():
            self.complain("nothing is answered yet")
            return
        self.complain("")
        self.post_message(self.Submitted(self.value))

    def edited(self) -> None:
        """To be called by subclasses when the answer has changed."""
        self.complain("")
        self.post_message(self.Edited(self.value))
