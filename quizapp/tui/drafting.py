"""Keeps what is typed: written to the store at most half a second after the key, and at once when asked."""

from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

SECONDS = 0.4


class Drafting:
    """Writes the latest text. The first key after a pause starts the clock; further ones don't put it off."""

    def __init__(self, owner: Widget, write: Callable[[str], object]) -> None:
        self._owner, self._write = owner, write
        self._text: str | None = None
        self._latest = ""
        self._timer: Timer | None = None

    def began(self, text: str) -> None:
        """Notes what stood there when the learner came."""
        self._latest = text

    def catch_up(self, text: str) -> None:
        """Notes the text as it stands now where nobody has told yet that it is another one."""
        if text != self._latest:
            self.typed(text)

    def typed(self, text: str) -> None:
        """Notes the text as it stands now."""
        self._text = self._latest = text
        if self._timer is None:
            self._timer = self._owner.set_timer(SECONDS, self.flush)

    def flush(self) -> None:
        """Writes now what isn't written yet."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._text is not None:
            text, self._text = self._text, None
            self._write(text)
