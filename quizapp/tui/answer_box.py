"""What every way of answering has in common: a value, a line for faults, and messages when it changes or is submitted."""

import asyncio
from collections.abc import Awaitable, Callable

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

LOADING = "Loading what scores answers in words …"
PATIENCE = 10.0
"""Seconds that an answer waits for it."""


def written(screen: Screen[None]) -> str | None:
    """What stands in a screen's box now, though it may not have told yet; ``None`` where there is no box."""
    boxes = [box for box in screen.query(AnswerBox) if box.is_attached and box.children]
    return boxes[0].value if boxes else None


class AnswerBox(Widget):
    """Takes one answer as text. Subclasses give :meth:`fields`, :attr:`value` and :meth:`focus_field`."""

    class Edited(Message):
        """The answer is another one now."""

        def __init__(self, box: "AnswerBox", value: str) -> None:
            super().__init__()
            self.box, self.value = box, value

    class Submitted(Message):
        """The learner gives this answer."""

        def __init__(self, box: "AnswerBox", value: str) -> None:
            super().__init__()
            self.box, self.value = box, value

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
        self._say(f"! {message}" if message else "")

    def _say(self, line: str) -> None:
        fault = self.query_one(".fault", Static)
        fault.update(Content(line))
        fault.display = bool(line)

    async def once_loaded(self, give: Callable[[], Awaitable[None]]) -> None:
        """Has an answer in words given: now, or, where its scorer is being loaded, when that is there: what it earns mustn't hang
        on how fast it was written. The screen is drawn meanwhile; where the learner leaves it, nothing is given."""
        from quizapp.scoring.tier import load_in_background, loading, wait

        load_in_background()
        if not loading():
            await give()
            return

        async def later() -> None:
            await asyncio.to_thread(wait, PATIENCE)
            if self.is_attached:
                self._say("")
                self.disabled = False
                self.focus_field()
                await give()

        self._say(LOADING)
        self.disabled = True
        self.screen.run_worker(later())

    def submit(self) -> None:
        """Submits what is there; nothing at all is refused."""
        if not self.value.strip():
            self.complain("nothing is answered yet")
            return
        self.complain("")
        self.post_message(self.Submitted(self, self.value))

    def edited(self) -> None:
        """To be called by subclasses when the answer has changed."""
        self.complain("")
        self.post_message(self.Edited(self, self.value))
