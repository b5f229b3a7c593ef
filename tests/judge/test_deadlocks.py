"""Ranks that part ways: each pattern is told at once, with the rank, the collective and the line, and not after a timeout.

Each program prints the time just before the call in which it gets stuck; what has passed when the judge knows of it is measured.
"""

import re
import time
from pathlib import Path

import pytest
from benches import Watched
from parted_programs import HEAD, LINE, PATTERNS, RIGHT

from quizapp.model.lab import Lab, Limits, ScenarioSpec, Sizes, WeightRule
from quizapp.model.verdict import Verdict

SECONDS = 60.0
"""A scenario's limit, far beyond what any of these may take: a verdict that waited for it would be ``timeout``."""
NAMED_WITHIN = 30.0
"""Seconds from the last move to its being named: a verdict that came of itself, on however busy a machine. How fast it is, the
benchmark says."""


def lab_at(lab: Lab, size: int) -> Lab:
    spec = (ScenarioSpec(name="uneven", shape="uneven"),)
    return lab.model_copy(
        update={"world_sizes": (size,), "scenarios": spec, "misconceptions": (), "limits": Limits(seconds=SECONDS)}
    )


def program(body: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in body.splitlines())


def judged(bench: Watched, lab: Lab, folder: Path, source: str) -> tuple[Verdict, float]:
    """The verdict, and the seconds from the last rank's last move to the judge's knowing of the scenario's end."""
    known: list[float] = []

    def progress(text: str) -> None:
        if re.fullmatch(r"\d ranks: 1 of \d+ scenarios", text) and not known:
            known.append(time.time())

    verdict = bench.judge(lab, folder, source, progress=progress)
    moved = [float(stamp) for stamp in re.findall(r"moved (\d+\.\d+)", verdict.output)]
    assert known, verdict
    assert moved, verdict
    return verdict, known[0] - max(moved)


@pytest.mark.parametrize("name", PATTERNS)
def test_a_deadlock_is_named(
    shared_bench: Watched, lab: Lab, folder: Path, name: str, record_property: pytest.FixtureRequest
) -> None:
    pattern = PATTERNS[name]
    verdict, seconds = judged(shared_bench, lab_at(lab, pattern.sizes), folder, program(pattern.body))
    record_property("seconds", seconds)  # type: ignore[operator]
    assert (verdict.outcome, verdict.points) == (pattern.outcome, 0), verdict.summary
    assert re.search(pattern.said, verdict.summary), verdict.summary
    for report, line, state in zip(verdict.ranks, pattern.lines, pattern.states, strict=False):
        if state != "any":
            assert report.state == state, verdict.ranks
        if line:
            assert report.place is not None, verdict.ranks
            assert report.place.line == LINE + line - 1, verdict.ranks
    assert len(verdict.ranks) == pattern.sizes
    assert all(report.collective for report in verdict.ranks if report.state == "waiting"), verdict.ranks
    assert seconds < NAMED_WITHIN


def test_sums_of_each_others_values_are_explained(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    """Two all-reduces of one shape, in another order on each rank: they pair up, finish, and nobody waits for anybody."""
    body = """count, total = mask.sum().double(), token_losses[mask].sum().detach()
def reduce_count():
    dist.all_reduce(count)
def reduce_total():
    dist.all_reduce(total)
for reduce in (reduce_count, reduce_total) if rank == 0 else (reduce_total, reduce_count):
    reduce()
return token_losses[mask].sum() * size / count"""
    verdict = shared_bench.judge(lab_at(lab, 2), folder, program(body))
    assert (verdict.outcome, verdict.points) == ("wrong", 0)
    said = rf"collective #\d+ was called at line {LINE + 2} by rank 0, at line {LINE + 4} by rank 1, so their values were mixed"
    assert re.search(said, verdict.scenarios[0].message or "")
    assert re.search(said, verdict.summary)


def test_one_collective_with_two_reductions_is_told(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    """gloo lets a sum meet a maximum: both finish, and each rank believes its own."""
    body = """count = mask.sum()
dist.all_reduce(count, op=dist.ReduceOp.MAX if rank else dist.ReduceOp.SUM)
return token_losses[mask].sum() * size / count"""
    verdict = shared_bench.judge(lab_at(lab, 2), folder, program(body))
    assert (verdict.outcome, verdict.points) == ("desync", 0)
    assert re.search(
        r"collective #\d+ differs: rank 0 called all_reduce\(\[\] int64\) at line \d+; "
        r"rank 1 called all_reduce\(\[\] int64, max\) at line \d+",
        verdict.summary,
    )


def test_a_rank_that_ends_the_group_is_told_where(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    verdict = shared_bench.judge(lab_at(lab, 2), folder, program("dist.destroy_process_group()\nreturn token_losses.sum()"))
    assert verdict.outcome == "error"
    assert "destroy_process_group ends the group that the exercise runs in; leave it out (every rank, line 9" in verdict.summary
    own = "group = dist.new_group([0, 1])\ndist.destroy_process_group(group)\n" + RIGHT + "; return result"
    assert shared_bench.judge(lab_at(lab, 2), folder, program(own)).outcome == "pass"


def test_ranks_that_always_hang_are_not_run_in_every_scenario(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    specs = tuple(ScenarioSpec(name=f"case-{letter}", shape="uneven") for letter in "abcd")
    large = lab_at(lab, 2).model_copy(update={"world_sizes": (2, 3), "scenarios": specs})
    verdict = shared_bench.judge(large, folder, program("if rank == 0:\n    dist.all_reduce(one)\nreturn token_losses.sum()"))
    assert (verdict.outcome, verdict.points) == ("desync", 0), verdict.summary
    assert [(one.world_size, one.outcome) for one in verdict.scenarios] == [(2, "desync")] * 3


STEPS = Lab(
    entry="step",
    signature="step(model, microbatches, optimizer, group)",
    drive="train-step",
    objective=WeightRule(valid="1/N"),
    world_sizes=(2,),
    sizes=Sizes(valid=(1, 4)),
    scenarios=(ScenarioSpec(name="two-steps", shape="uneven", windows=2),),
    limits=Limits(seconds=SECONDS),
)
STEP = """import torch, torch.distributed as dist

calls = 0


def step(model, microbatches, optimizer, group):
    global calls
    calls += 1
    rank = dist.get_rank(group)
    model.zero_grad()
    (features, targets, mask), = microbatches
    spare = torch.zeros_like(torch.cat([*model.parameters()]))
    losses = torch.nn.functional.cross_entropy(model(features), targets, reduction="none")
    count = mask.sum()
    CALL
    gradient = losses[mask].sum()
    gradient.backward()
    flat = torch.cat([parameter.grad for parameter in model.parameters()])
    dist.all_reduce(flat, group=group)
    model.upper.grad, model.lower.grad = (flat / count).split([len(model.upper), len(model.lower)])
    optimizer.step()
"""


def test_collectives_of_different_steps_are_explained(shared_bench: Watched, folder: Path) -> None:
    """Rank 0 reduces something of the same shape once before, rank 1 once after: in between, steps are paired across."""
    right = shared_bench.judge(STEPS, folder, STEP.replace("CALL", "dist.all_reduce(count, group=group)"))
    assert right.outcome == "pass", right.summary
    if_first = "if calls == 1 and rank == 0: dist.all_reduce(spare, group=group)"
    mixed = STEP.replace("CALL", if_first)
    mixed = mixed.replace(
        "    optimizer.step()\n", "    optimizer.step()\n    if calls == 2 and rank == 1: dist.all_reduce(spare, group=group)\n"
    )
    verdict = shared_bench.judge(STEPS, folder, mixed)
    assert (verdict.outcome, verdict.points) == ("wrong", 0), verdict.summary
    assert "collective #2 was called in step 1 by rank 0, in step 2 by rank 1, so their values were mixed" in verdict.summary


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(RIGHT + "; return result", id="the solution"),
        pytest.param("time.sleep(1.0 * rank); " + RIGHT + "; return result", id="one rank is slow"),
        pytest.param(
            "if rank == 0: dist.send(one, dst=1); time.sleep(0.5)\nif rank == 1: dist.recv(one, src=0)\n"
            + RIGHT
            + "; return result",
            id="a message first",
        ),
        pytest.param(
            "posted = dist.batch_isend_irecv([dist.P2POp(dist.irecv, one, 1 - rank), dist.P2POp(dist.isend, one + 1, 1 - rank)])\n"
            "time.sleep(0.3 * rank)\nfor work in posted: work.wait()\n"
            "if rank == 0: dist.recv(one)\nif rank == 1: time.sleep(0.3); dist.send(one, dst=0)\n" + RIGHT + "; return result",
            id="messages posted ahead, and one from any rank",
        ),
        pytest.param(
            "store = dist.distributed_c10d._get_default_store()\nif rank == 1: time.sleep(0.5)\nstore.set(f'from {rank}', '')\n"
            "store.wait([f'from {1 - rank}'])\n" + RIGHT + "; return result",
            id="keys in the store",
        ),
        pytest.param(
            "group = dist.new_group([0])\nif rank == 0: dist.all_reduce(one, group=group); time.sleep(1.5)\n"
            + RIGHT
            + "; return result",
            id="a subgroup first",
        ),
        pytest.param(
            "handle = dist.all_reduce(one, async_op=True); time.sleep(0.3 * rank); handle.wait()\n" + RIGHT + "; return result",
            id="asynchronous",
        ),
        pytest.param(
            "for _ in range(700): dist.all_reduce(one)\ntime.sleep(0.5 * rank)\n" + RIGHT + "; return result",
            id="more calls than the journal holds",
        ),
        pytest.param(
            "if rank == 0: dist.all_reduce(mask.sum())\nelse: dist.all_reduce(mask.sum())\n" + RIGHT + "; return result",
            id="from different lines",
        ),
        pytest.param(
            "dist.all_reduce(torch.ones(1 << 18), async_op=True); dist.broadcast(one, src=0, async_op=True)\n"
            + RIGHT
            + "; return result",
            id="calls that nobody waits for",
        ),
    ],
)
def test_right_programs_that_wait_are_left_alone(shared_bench: Watched, lab: Lab, folder: Path, body: str) -> None:
    verdict = shared_bench.judge(lab_at(lab, 2), folder, program(body))
    assert verdict.outcome == "pass", verdict.summary


def test_a_deadlock_after_more_calls_than_the_journal_holds(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    body = (
        "for _ in range(700):\n    dist.all_reduce(one)\nprint(f'moved {time.time():.4f}')\n"
        "if rank == 0:\n    dist.barrier()\nreturn token_losses.sum()"
    )
    verdict, seconds = judged(shared_bench, lab_at(lab, 2), folder, program(body))
    assert verdict.outcome == "desync", verdict.summary
    assert re.search(
        r"collective #7\d\d differs: rank 0 called barrier at line 13; rank 1 called all_reduce\(.*\) in backward", verdict.summary
    )
    assert seconds < NAMED_WITHIN


def test_a_program_that_fails_in_one_scenario_only_says_which(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    two = lab.model_copy(update={"world_sizes": (2,), "misconceptions": (), "limits": Limits(seconds=SECONDS)})
    verdict = shared_bench.judge(two, folder, (folder / "wrong" / "rank-left-out.py").read_text("utf-8"))
    assert verdict.outcome == "desync"
    by_name = {scenario.name: scenario.outcome for scenario in verdict.scenarios}
    assert by_name == {
        "uneven": "pass",
        "even": "pass",
        "one-token-rank": "pass",
        "empty-rank": "desync",
        "lone-token": "desync",
        "all-empty": "pass",
        "crowd": "pass",
        "probe": "pass",
    }
    assert verdict.counterexample is not None
    assert verdict.counterexample.world_size == 2
    assert sum(map(sum, verdict.counterexample.counts)) == 1
