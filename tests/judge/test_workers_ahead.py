"""Workers that are started before anything is known of the submission serve it, and go with whoever asked for them."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.judge.bench import BackendUnavailable, Bench
from quizapp.judge.runner import docker, local
from quizapp.judge.runner.ahead import Ahead
from quizapp.judge.runner.worker import Role, Worker
from quizapp.model.lab import Lab

GONE_WITHIN = 120.0


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Worker]]:
    """All local workers that a test starts; none may be left when it ends."""
    if not local.has_torch():
        pytest.skip("torch isn't installed here")
    workers: list[Worker] = []
    start = local.start

    def watched(role: Role) -> Worker:
        workers.append(start(role))
        return workers[-1]

    monkeypatch.setattr(local, "start", watched)
    yield workers
    deadline = time.monotonic() + GONE_WITHIN
    while left := [worker for worker in workers if is_there(worker)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def is_there(worker: Worker) -> bool:
    assert isinstance(worker._stream, local._Process)
    return worker._stream._process.poll() is None


def judged(bench: Bench, lab: Lab, folder: Path, solution: str) -> str:
    return bench.judge(lab, folder, solution, "answer.py", points=1, titles={}).outcome


def test_they_serve_the_bench(started: list[Worker], two: Lab, folder: Path, solution: str) -> None:
    ahead = Ahead("local")
    bench = Bench("local", ahead=ahead)
    assert judged(bench, two, folder, solution) == "pass"
    assert len(started) == 2
    bench.close()
    ahead.close()


def test_they_end_where_no_bench_comes_to_use_them(started: list[Worker]) -> None:
    ahead = Ahead("local")
    ahead.close()
    ahead.close()
    assert len(started) == 2


def test_where_none_can_be_started_the_bench_says_why(
    monkeypatch: pytest.MonkeyPatch, two: Lab, folder: Path, solution: str
) -> None:
    monkeypatch.setattr(docker, "is_available", lambda: False)
    monkeypatch.setattr(local, "has_torch", lambda: False)
    ahead = Ahead("auto")
    assert ahead.opened() is None
    with pytest.raises(BackendUnavailable, match="nothing here can run submissions"):
        judged(Bench("auto", ahead=ahead), two, folder, solution)
    ahead.close()
