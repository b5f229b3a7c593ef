"""Workers kept warm: one long-lived oracle, and submission workers that are used once, their groups formed ahead."""

import contextlib
import threading
from collections.abc import Callable, Sequence

from quizapp.judge.placement import place
from quizapp.judge.runner.worker import BackendUnavailable, Cancelled, Role, Worker, WorkerLost, WorkerSilent
from quizapp_sandbox import wire

Start = Callable[[Role], Worker]
FORM_SECONDS = 60.0
TRIES = 3
"""How often a worker is started anew that came up, but could not form its groups."""


class _Spare:
    """A submission worker on its way to having its groups formed."""

    def __init__(self, worker: Worker, world_sizes: Sequence[int]) -> None:
        self.worker = worker
        self.failed = False
        """It came up, but its groups did not: no fault of the submission that would run in it."""
        self._world_sizes = world_sizes
        self._thread = threading.Thread(target=self._form, name="worker-form", daemon=True)
        self._thread.start()

    def _form(self) -> None:
        with contextlib.suppress(BackendUnavailable):
            gpus = int(self.worker.ready().get("gpus", 0))
            try:
                if self.worker.kept:
                    self.worker.begin()
                for size in self._world_sizes:
                    placed = place(size, gpus)
                    data = {"world_size": size, "collectives": placed.collectives, "devices": list(placed.devices)}
                    self.worker.send(wire.Frame("form", data))
                    self.worker.receive(FORM_SECONDS)
            except (WorkerLost, WorkerSilent):
                self.failed = True
                self.worker.close()

    def prepared(self, cancelled: Callable[[], bool]) -> Worker:
        while self._thread.is_alive():
            if cancelled():
                self.worker.close()
                raise Cancelled
            self._thread.join(0.02)
        return self.worker


class Pool:
    """Starts workers ahead of need. Thread-safe."""

    def __init__(self, start: Start, spares: int = 1, role: Role = "submission") -> None:
        """``role``: of the workers that run submissions."""
        self._start = start
        self.role = role
        self._wanted = spares
        self._spares: list[_Spare] = []
        self._bare: list[Worker] = []
        """Started before it was known which groups they are to form."""
        self._oracle: Worker | None = None
        self._lock = threading.Lock()
        self._closed = False

    def start_ahead(self) -> None:
        """Starts the oracle and a worker that will be the first spare.

        Raises:
            BackendUnavailable: they can't be started.
        """
        with self._lock:
            if not self._closed:
                self._bare.append(self._start(self.role))
                self._oracle = self._oracle or self._start("oracle")

    def _new_spare(self, world_sizes: Sequence[int]) -> _Spare:
        return _Spare(self._bare.pop() if self._bare else self._start(self.role), world_sizes)

    def warm(self, world_sizes: Sequence[int]) -> None:
        """Makes sure that the oracle and a spare are starting. Returns at once.

        Raises:
            BackendUnavailable: they can't be started.
        """
        with self._lock:
            if self._closed:
                return
            self._spares = [spare for spare in self._spares if spare.worker.is_usable]
            while len(self._spares) < self._wanted:
                self._spares.append(self._new_spare(world_sizes))
            if self._oracle is None or not self._oracle.is_usable:
                self._oracle = self._start("oracle")

    def oracle(self) -> Worker:
        """The oracle worker, started where it isn't up."""
        with self._lock:
            if self._oracle is None or not self._oracle.is_usable:
                self._oracle = self._start("oracle")
            return self._oracle

    def wait_until_warm(self, world_sizes: Sequence[int]) -> None:
        """Blocks until the oracle is up and a spare has its groups formed.

        Raises:
            BackendUnavailable: they can't be started, or don't come up.
        """
        self.warm(world_sizes)
        self.oracle().ready()
        with self._lock:
            spares = list(self._spares)
        for spare in spares:
            spare.prepared(lambda: False).ready()

    def take(self, world_sizes: Sequence[int], cancelled: Callable[[], bool]) -> Worker:
        """A submission worker for one submission, to be closed by the caller. Waits until it is ready.

        Raises:
            BackendUnavailable: none can be started, or none gets ready. Cancelled: ``cancelled`` said so.
        """
        with self._lock:
            usable = [spare for spare in self._spares if spare.worker.is_usable]
            spare = usable[0] if usable else None
            self._spares = usable[1:]
        for _ in range(TRIES):
            spare = spare or _Spare(self._start(self.role), world_sizes)
            worker = spare.prepared(cancelled)
            if not spare.failed:
                return worker
            spare = None
        raise BackendUnavailable("the workers start, but can't form their groups; is the machine short of memory or processes?")

    def give_back(self, worker: Worker, world_sizes: Sequence[int]) -> None:
        """Takes a worker whose last submission has ended, to be used for another one. A kept one must first show that nothing of
        that submission is left; else it is closed."""
        if worker.kept:
            try:
                clean = worker.leave()
            except (WorkerLost, WorkerSilent):
                clean = False
            if not clean:
                worker.close()
                return
        with self._lock:
            if not self._closed and worker.is_usable:
                self._spares.insert(0, _Spare(worker, world_sizes))
                return
        worker.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers = [*(spare.worker for spare in self._spares), *self._bare, *([self._oracle] if self._oracle else [])]
            self._spares, self._bare, self._oracle = [], [], None
        for worker in workers:
            worker.close()
