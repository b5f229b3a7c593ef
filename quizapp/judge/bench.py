"""The bench: where the app and the commands bring a submission to be judged. Chooses the backend, keeps workers warm."""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from quizapp.judge import judge as judging
from quizapp.judge.exchange import Task
from quizapp.judge.expect import FaultyLab
from quizapp.judge.outcome import on_one_line
from quizapp.judge.placement import place
from quizapp.judge.runner import docker, local
from quizapp.judge.runner.ahead import Ahead, Backend, choose
from quizapp.judge.runner.pool import Pool
from quizapp.judge.runner.worker import BackendUnavailable, Cancelled, Worker, WorkerLost, WorkerSilent
from quizapp.model.lab import Lab
from quizapp.model.verdict import Place, RankReport, Verdict

__all__ = ["BackendUnavailable", "Bench", "Cancelled", "FaultyLab"]

KEPT = 50
"""Submissions that a kept container serves."""
SUSPECT = frozenset(("limit", "timeout"))
"""Outcomes after which a kept container is thrown away, whatever it says of itself."""


class Bench:
    """Judges submissions. Thread-safe; one judgement at a time waits for the oracle. Close it when done."""

    def __init__(
        self,
        backend: str = "auto",
        keep_warm: bool = False,
        submissions_per_worker: int = 1,
        kept: bool = False,
        ahead: Ahead | None = None,
    ) -> None:
        """``keep_warm``: start the next worker as soon as one has been used. ``submissions_per_worker``: more than one only for
        programs that trust each other, such as a lab's own: they share a user and a folder for temporary files.
        ``kept``: containers serve some 50 submissions, each under a user of its own, and go at the least doubt; without effect on
        other backends, and where there are GPUs. ``ahead``: workers that were started for that backend."""
        self._wanted = backend
        self._keep_warm = keep_warm
        self._submissions_per_worker = submissions_per_worker
        self._kept = kept
        self._ahead = ahead
        self._pool: Pool | None = None
        self._backend: Backend | None = None
        self._opening = threading.Lock()
        self._judging = threading.Lock()

    def _open(self) -> Pool:
        with self._opening:
            if self._pool is None and self._ahead is not None and (opened := self._ahead.opened()) is not None:
                self._backend, self._pool = opened
            if self._pool is None:
                self._backend = choose(self._wanted)
                if self._kept and self._backend == "docker" and docker.can_keep():
                    self._submissions_per_worker = KEPT
                    self._pool = Pool(docker.start, role="kept")
                else:
                    self._pool = Pool(docker.start if self._backend == "docker" else local.start)
            return self._pool

    @property
    def keeps(self) -> bool:
        """Whether submissions run in kept containers. May take a moment the first time.

        Raises:
            BackendUnavailable: nothing here can run submissions.
        """
        return self._open().role == "kept"

    @property
    def unsandboxed_notice(self) -> str | None:
        """What to tell the user when submitted code would run with their own rights. May take a moment the first time.

        Raises:
            BackendUnavailable: nothing here can run submissions.
        """
        self._open()
        return local.UNSANDBOXED if self._backend == "local" and local.bubblewrap() is None else None

    def prepare(self, lab: Lab, folder: Path) -> None:
        """Starts workers in the background and forms the lab's groups in the spare. Failures show in :meth:`judge`."""

        def work() -> None:
            try:
                self._open().warm(lab.world_sizes)
            except BackendUnavailable:
                return

        threading.Thread(target=work, name="bench-prepare", daemon=True).start()

    def wait_until_warm(self, lab: Lab) -> None:
        """Blocks until a submission to the lab would be judged by a worker that stands ready.

        Raises:
            BackendUnavailable: submissions can't run here.
        """
        self._open().wait_until_warm(lab.world_sizes)

    def judge(
        self,
        lab: Lab,
        folder: Path,
        source: str,
        filename: str,
        *,
        points: int,
        titles: Mapping[str, str],
        seed: int | None = None,
        progress: Callable[[str], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Verdict:
        """The verdict on one submission. Blocks.

        Args:
            filename: what tracebacks call the file.
            points: for a pass.
            titles: misconception id -> title.
            seed: draws the scenarios; a fresh one where ``None``.

        Raises:
            BackendUnavailable: submissions can't run here. FaultyLab: the lab is broken. Cancelled: ``cancel`` was set.
        """
        started = time.monotonic()
        told = progress or (lambda text: None)
        stop = cancel.is_set if cancel is not None else (lambda: False)
        pool = self._open()
        shown = on_one_line(filename)
        task = Task(lab, folder, source, shown, points, titles, judging.new_seed() if seed is None else seed)
        # Before it is parsed: a parser may take a thousand bytes for each one of the file.
        if len(source.encode("utf-8", "surrogatepass")) > judging.MAX_SOURCE:
            return self._unrun(task, "limit", f"the file is larger than {judging.MAX_SOURCE >> 10} KiB", Place(line=1), started)
        fault = judging.syntax_fault(source)
        if fault is not None:
            return self._unrun(task, "error", *fault, started)
        told("starting workers")
        worker: Worker | None = None
        ended = False
        try:
            pool.warm(lab.world_sizes)
            worker = pool.take(lab.world_sizes, stop)
            facts = worker.ready(stop)
            told("running ranks")
            with self._judging:
                oracle = pool.oracle()
                oracle.ready(stop)
                try:
                    workers = judging.Workers(worker, oracle, int(facts.get("gpus", 0)))
                    with np.errstate(all="ignore"):  # a submission's numbers may be any; warnings would stand on the terminal
                        verdict = judging.judge(task, workers, told, stop, started)
                    ended = not (worker.kept and verdict.outcome in SUSPECT)
                    return verdict
                except BaseException:
                    oracle.close()  # an answer that is still due must not be taken for the next one's
                    raise
        except (WorkerLost, WorkerSilent) as error:
            raise BackendUnavailable(f"the oracle did not answer ({error}); `quizapp doctor` says what works here") from None
        finally:
            if worker is not None:
                threading.Thread(target=self._retire, args=(worker, lab, ended), name="bench-retire").start()

    def _retire(self, worker: Worker, lab: Lab, ended: bool) -> None:
        worker.submissions += 1
        if ended and worker.submissions < self._submissions_per_worker and self._pool is not None:
            self._pool.give_back(worker, lab.world_sizes)
        else:
            worker.close()
        if self._keep_warm and self._pool is not None:
            with contextlib.suppress(BackendUnavailable):
                self._pool.warm(lab.world_sizes)

    def _unrun(self, task: Task, outcome: Literal["error", "limit"], message: str, where: Place, started: float) -> Verdict:
        column = f", column {where.column}" if where.column else ""
        return Verdict(
            outcome=outcome,
            points=0,
            max_points=task.points,
            seed=task.seed,
            summary=f"{task.filename}, line {where.line}{column}: {message}.",
            ranks=(RankReport(rank=0, state="not run", place=where, message=message),),
            backend=self._backend or "local",
            sandbox="none",
            device="cpu",
            collectives=place(max(task.lab.world_sizes), 0).collectives,
            milliseconds=round((time.monotonic() - started) * 1000, 1),
        )

    def close(self) -> None:
        """Ends all workers."""
        if self._pool is not None:
            self._pool.close()
