"""A worker as the host sees it: frames in, frames out, killed at any time. Backends give the streams."""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Literal, Protocol

from quizapp_sandbox import wire

Role = Literal["submission", "kept", "oracle"]
"""``kept``: serves submissions one after the other, each under a user of its own."""
Sandbox = Literal["container", "bubblewrap", "none"]
START_SECONDS = 90.0
TURN_SECONDS = 60.0
"""For a kept worker's going from one submission to the next."""


class BackendUnavailable(Exception):
    """The environment can't run submissions this way; the text says why and what mends it."""


class WorkerLost(Exception):
    """A worker ended, or spoke no frames; its last words, if any, are in the text."""


class WorkerSilent(Exception):
    """A worker did not answer in time."""


class Stream(Protocol):
    """The two ends of a worker's standard streams."""

    def write(self, data: bytes) -> None: ...

    def read(self) -> bytes:
        """Some bytes of the worker's standard output; empty at its end. Blocks."""
        ...

    def kill(self) -> None:
        """Ends the worker and all that runs in it. Idempotent."""
        ...

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        ...


class Worker:
    """An agent that is starting or ready. Thread-safe for one user at a time; :meth:`close` may come from any thread."""

    def __init__(self, stream: Stream, sandbox: Sandbox, kept: bool = False) -> None:
        self.sandbox = sandbox
        """``container``, ``bubblewrap`` or ``none``."""
        self.kept = kept
        """Each submission comes between :meth:`begin` and :meth:`leave`."""
        self.doubt: str | None = None
        """Why no further submission may run in it."""
        self.submissions = 0
        """How many it has run."""
        self._stream = stream
        self._frames: deque[wire.Frame] = deque()
        self._error: Exception | None = None
        self._news = threading.Condition()
        self._facts: dict[str, Any] | None = None
        threading.Thread(target=self._read, name="worker-reader", daemon=True).start()

    def _read(self) -> None:
        buffer = wire.FrameBuffer()
        error: Exception = WorkerLost("the worker ended")
        try:
            while data := self._stream.read():
                buffer.feed(data)
                while (frame := buffer.take()) is not None:
                    with self._news:
                        self._frames.append(frame)
                        self._news.notify_all()
        except wire.WireError as wrong:
            error = WorkerLost(f"the worker sent bytes that are no frame: {wrong}")
            self.close()
        except (OSError, ValueError):
            pass
        with self._news:
            self._error = error
            self._news.notify_all()

    def send(self, frame: wire.Frame) -> None:
        """Raises ``WorkerLost`` where the worker is gone."""
        try:
            self._stream.write(wire.encode(frame))
        except (OSError, ValueError):
            raise WorkerLost(self._stream.last_words() or "the worker is gone") from None

    def receive(self, seconds: float, cancelled: Callable[[], bool] = lambda: False) -> wire.Frame:
        """The next frame.

        Raises:
            WorkerLost: the worker ended. WorkerSilent: nothing came in time. Cancelled: ``cancelled`` said so.
        """
        deadline = time.monotonic() + seconds
        with self._news:
            while not self._frames:
                if self._error is not None:
                    words = self._stream.last_words()
                    raise WorkerLost(f"{self._error}: {words}" if words else str(self._error))
                if cancelled():
                    raise Cancelled
                left = deadline - time.monotonic()
                if left <= 0:
                    raise WorkerSilent
                self._news.wait(min(left, 0.05))
            return self._frames.popleft()

    def ready(self, cancelled: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        """What the agent told of itself when it had warmed up: torch's version, GPUs.

        Raises:
            BackendUnavailable: it did not come up.
        """
        if self._facts is None:
            try:
                frame = self.receive(START_SECONDS, cancelled)
            except WorkerLost as error:
                raise BackendUnavailable(f"the worker did not start: {error}") from None
            except WorkerSilent:
                raise BackendUnavailable(f"the worker did not start within {START_SECONDS:.0f} s") from None
            self._facts = dict(frame.data)
        return self._facts

    def begin(self) -> None:
        """Makes a kept worker ready for a submission.

        Raises:
            WorkerLost, WorkerSilent: it isn't; throw it away.
        """
        self.send(wire.Frame("begin"))
        frame = self.receive(TURN_SECONDS)
        if frame.kind != "begun":
            raise WorkerLost(f"the worker answered {frame.kind[:40]!r} to begin")

    def leave(self) -> bool:
        """Ends a kept worker's submission. Whether nothing of it is left; if not, :attr:`doubt` says what, and it is to be closed.

        Raises:
            WorkerLost, WorkerSilent: it gives no answer; throw it away.
        """
        self.send(wire.Frame("end"))
        frame = self.receive(TURN_SECONDS)
        doubt = frame.data.get("doubt", "no word") if frame.kind == "left" else f"answered {frame.kind[:40]!r} to end"
        self.doubt = None if doubt is None else str(doubt)
        return self.doubt is None

    @property
    def is_usable(self) -> bool:
        return self._error is None

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.kill()


class Cancelled(Exception):
    """The user called the judgement off."""
