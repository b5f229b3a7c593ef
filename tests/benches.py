"""A bench for tests: it judges with the built-in titles, and knows which of its workers are still about."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from quizapp.judge.bench import Bench
from quizapp.judge.runner import docker, local
from quizapp.judge.runner.worker import Role, Worker
from quizapp.model.lab import Lab
from quizapp.model.verdict import Verdict


class Watched:
    """A warm bench and every worker that it has started."""

    def __init__(self, backend: str, name: str, submissions_per_worker: int = 1, kept: bool = False) -> None:
        self.name = name
        self.bench = Bench(backend, keep_warm=True, submissions_per_worker=submissions_per_worker, kept=kept)
        self.started: list[Worker] = []
        pool = self.bench._open()
        start = pool._start

        def watched(role: Role) -> Worker:
            worker = start(role)
            self.started.append(worker)
            return worker

        pool._start = watched

    def judge(
        self,
        lab: Lab,
        folder: Path,
        source: str,
        *,
        seed: int = 5,
        filename: str = "answer.py",
        progress: Callable[[str], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Verdict:
        return self.bench.judge(lab, folder, source, filename, points=4, titles={}, seed=seed, progress=progress, cancel=cancel)

    def close(self) -> None:
        self.bench.close()

    def left_behind(self, seconds: float = 120.0) -> list[str]:
        """Workers that are neither spare nor oracle and still there after some time, each in words."""
        pool = self.bench._pool
        assert pool is not None
        deadline = time.monotonic() + seconds
        while True:
            kept = [*(spare.worker for spare in pool._spares), pool._oracle]
            left = [text for worker in self.started if worker not in kept and (text := _remains(worker)) is not None]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.1)


def _remains(worker: Worker) -> str | None:
    stream = worker._stream
    if isinstance(stream, local._Process):
        if stream._process.poll() is None:
            return f"process {stream._process.pid}"
        return f"folder {stream._folder.name}" if Path(stream._folder.name).exists() else None
    import docker as sdk

    assert isinstance(stream, docker._Container)
    try:
        stream._engine.api.inspect_container(stream.name)
    except sdk.errors.NotFound:
        return None
    return f"container {stream.name}"
