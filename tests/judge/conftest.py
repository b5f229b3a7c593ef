"""The built-in lab that the judge's tests run, and the backends on which they run it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from benches import Watched

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.judge.runner import local
from quizapp.model.lab import Lab, Limits


@pytest.fixture(scope="session")
def folder() -> Path:
    return builtin_folder() / "intended-average" / "labs" / "scale-local-loss"


@pytest.fixture(scope="session")
def lab(folder: Path) -> Lab:
    return load_lab(folder)


@pytest.fixture(scope="session")
def two(lab: Lab) -> Lab:
    """The lab at two ranks and without names, with a time limit that is met on a busy machine."""
    return lab.model_copy(update={"world_sizes": (2,), "misconceptions": (), "limits": Limits(seconds=60)})


@pytest.fixture(scope="session")
def solution(folder: Path) -> str:
    return (folder / "solution.py").read_text("utf-8")


BACKENDS = ["unsandboxed", "bubblewrap", pytest.param("docker", marks=pytest.mark.engine)]


@contextmanager
def watched(name: str, submissions_per_worker: int) -> Iterator[Watched]:
    if name != "docker" and not local.has_torch():
        pytest.skip("torch isn't installed here")
    if name == "bubblewrap" and local.bubblewrap() is None:
        pytest.skip("bubblewrap doesn't work here")
    with pytest.MonkeyPatch.context() as patch:
        if name == "unsandboxed":
            patch.setattr(local, "bubblewrap", lambda: None)
        shared = submissions_per_worker > 1
        bench = Watched("docker" if name == "docker" else "local", name, submissions_per_worker, kept=shared and name == "docker")
        yield bench
        bench.close()
    assert bench.left_behind() == []


@pytest.fixture(scope="module", params=BACKENDS)
def bench(request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A bench of each backend in turn; one worker for each submission."""
    with watched(str(request.param), 1) as its:
        yield its


@pytest.fixture(scope="module", params=BACKENDS)
def shared_bench(request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A bench of each backend in turn; submissions share a worker, which is faster. Containers are kept as for a class."""
    with watched(str(request.param), 50) as its:
        yield its
