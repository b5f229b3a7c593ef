"""Workers kept warm: one long-lived oracle, and submission workers that are used once."""

import threading
from collections.abc import Callable

from quizapp.judge.runner.worker import Role, Worker

Start = Callable[[Role], Worker]


class Pool:
    """Starts workers ahead of need. Thread-safe."""

    def __init__(self, start: Start, spares: int = 1) -> None:
        self._start = start
        self._spares = spares
        self._idle: list[Worker] = []
        self._oracle: Worker | None = None
        self._lock = threading.Lock()
        self._closed = False

    def warm(self) -> None:
        """Makes sure that the oracle and a spare are starting. Returns at once.

        Raises:
            BackendUnavailable: they can't be started.
        """
        with self._lock:
            if self._closed:
                return
            if self._oracle is None or not self._oracle.is_usable:
                self._oracle = self._start("oracle")
            self._idle = [worker for worker in self._idle if worker.is_usable]
            while len(self._idle) < self._spares:
                self._idle.append(self._start("submission"))

    def oracle(self) -> Worker:
        """The oracle worker, started where it isn't up."""
        self.warm()
        assert self._oracle is not None
        return self._oracle

    def take(self) -> Worker:
        """A submission worker for one submission, to be closed by the caller."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop(0)
                if worker.is_usable:
                    return worker
        return self._start("submission")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers = [*self._idle, *([self._oracle] if self._oracle else [])]
            self._idle, self._oracle = [], None
        for worker in workers:
            worker.close()
