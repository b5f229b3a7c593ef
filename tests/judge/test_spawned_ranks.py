"""Ranks where a process with torch in it can't be forked and the kernel doesn't tell what threads do, as on macOS: each rank is a
Python of its own, and who waits for whom is read from the journal and the stacks alone. Run here with both turned off."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import Watched

from quizapp.judge.runner import local
from quizapp.model.lab import Lab

AS_ON_MACOS = """import sys
from quizapp_sandbox import agent
if sys.argv[1] == "submission":
    from quizapp_sandbox import groups, supervise
    groups.SPAWNED, supervise.SEES_THREADS = True, False
sys.exit(agent.main())
"""


@pytest.fixture(scope="module")
def spawning() -> Iterator[Watched]:
    if not local.has_torch():
        pytest.skip("torch isn't installed here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "bubblewrap", lambda: None)
        patch.setattr(local, "_agent", lambda role: [sys.executable, "-I", "-c", AS_ON_MACOS, role])
        watched = Watched("local", "spawned", submissions_per_worker=50)
        yield watched
        watched.close()
    assert watched.left_behind() == []


@pytest.fixture(scope="module")
def one(two: Lab) -> Lab:
    """One scenario: what a spawned group costs is paid for each that doesn't end well."""
    return two.model_copy(update={"scenarios": two.scenarios[:1]})


def test_the_solution_passes(spawning: Watched, two: Lab, folder: Path, solution: str) -> None:
    verdict = spawning.judge(two, folder, solution)
    assert (verdict.outcome, verdict.points) == ("pass", 4), verdict.summary


def test_a_known_wrong_program_fails(spawning: Watched, one: Lab, folder: Path) -> None:
    program = next(file for file in sorted((folder / "wrong").glob("*.py")))
    verdict = spawning.judge(one, folder, program.read_text("utf-8"))
    assert (verdict.outcome, verdict.points) == ("wrong", 0)


def test_a_deadlock_is_told_with_its_rank_and_line(spawning: Watched, one: Lab, folder: Path) -> None:
    body = """import torch.distributed as dist


def scale_loss(token_losses, mask):
    count = mask.sum()
    if dist.get_rank() == 0:
        dist.all_reduce(count)
    return token_losses[mask].sum() / count.clamp(min=1)
"""
    verdict = spawning.judge(one, folder, body)
    assert (verdict.outcome, verdict.points) == ("desync", 0), verdict.summary
    assert verdict.ranks[0].place is not None
    assert verdict.ranks[0].place.line == 7


def test_a_rank_that_computes_for_ever_runs_and_does_not_wait(spawning: Watched, one: Lab, folder: Path) -> None:
    body = "def scale_loss(token_losses, mask):\n    while True:\n        pass\n"
    verdict = spawning.judge(one.model_copy(update={"limits": one.limits.model_copy(update={"seconds": 4})}), folder, body)
    assert verdict.outcome == "timeout", verdict.summary
    assert {report.state for report in verdict.ranks} == {"running"}
