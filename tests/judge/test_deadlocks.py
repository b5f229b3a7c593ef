"""Ranks that part ways: each pattern is told at once, with the rank, the collective and the line, and not after a timeout.

Each program prints the time just before the call in which it gets stuck; what has passed when the judge knows of it is measured.
"""

import re
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from benches import Watched

from quizapp.model.lab import Lab, Limits, ScenarioSpec, Sizes, WeightRule
from quizapp.model.verdict import Outcome, Verdict

SECONDS = 60.0
"""A scenario's limit, far beyond what any of these may take: a verdict that waited for it would be ``timeout``."""
NAMED_WITHIN = 30.0
"""Seconds from the last move to its being named: a verdict that came of itself, on however busy a machine. How fast it is, the
benchmark says."""
HEAD = """import os, sys, time, torch
import torch.distributed as dist


def scale_loss(token_losses, mask):
    rank, size = dist.get_rank(), dist.get_world_size()
    one = torch.ones(1, dtype=torch.float64)
    print(f"moved {time.time():.4f}")
"""
LINE = HEAD.count("\n") + 1
"""Of a pattern's first line."""
RIGHT = "count = mask.sum(); dist.all_reduce(count); result = token_losses[mask].sum() * size / count.clamp(min=1)"


@dataclass(frozen=True)
class Pattern:
    """What a program does, and what must be said of it. ``lines``: of each rank, counted from the pattern's first; 0 for none.

    Order numbers are not looked at: DDP's own first collectives count, and their number is torch's affair.
    """

    body: str
    outcome: Outcome
    said: str
    lines: tuple[int, int]
    states: tuple[str, str]
    sizes: int = 2


PATTERNS = {
    "a rank leaves out an all_reduce": Pattern(
        "if rank == 0:\n    dist.all_reduce(one)\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[\d+\] float64\) in backward"
        r"|collective #\d+ differs: rank 0 called all_reduce\(\[1\] float64\) at line \d+; rank 1 called all_reduce\(\[\d+\] float64\) in backward",
        (2, 0),
        ("any", "any"),
    ),
    "a rank returns early": Pattern(
        "if rank == 1:\n    return token_losses.new_zeros((), requires_grad=True)\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[1\] float64\) at line 11",
        (3, 0),
        ("waiting", "finished"),
    ),
    "a rank makes one collective more": Pattern(
        "dist.all_reduce(one)\nif rank == 1:\n    dist.barrier()\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[\d+\] float64\) in backward; rank 1 called barrier at line 11",
        (0, 3),
        ("waiting", "waiting"),
    ),
    "a rank asks again and again whether the others have come": Pattern(
        "if rank == 1:\n    return token_losses.new_zeros((), requires_grad=True)\nwork = dist.all_reduce(one, async_op=True)\n"
        "while not work.is_completed():\n    pass\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[1\] float64\) at line 11",
        (0, 0),
        ("any", "finished"),
    ),
    "different kinds": Pattern(
        "if rank == 0:\n    dist.all_reduce(one)\nelse:\n    dist.all_gather([one.clone(), one.clone()], one)\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[1\] float64\) at line 10; rank 1 called all_gather\(.*\) at line 12",
        (2, 4),
        ("any", "any"),
    ),
    "a barrier against an all_reduce": Pattern(
        "if rank == 0:\n    dist.barrier()\nelse:\n    dist.all_reduce(one)\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called barrier at line 10; rank 1 called all_reduce\(\[1\] float64\) at line 12",
        (2, 4),
        ("any", "any"),
    ),
    "different shapes": Pattern(
        "dist.all_reduce(torch.ones(2 + rank))\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[2\] float32\) at line 9; rank 1 called all_reduce\(\[3\] float32\) at line 9",
        (0, 0),
        ("any", "any"),
    ),
    "different dtypes": Pattern(
        "dist.all_reduce(torch.ones(2, dtype=torch.float64 if rank else torch.float32))\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[2\] float32\) at line 9; rank 1 called all_reduce\(\[2\] float64\) at line 9",
        (0, 0),
        ("any", "any"),
    ),
    "a graph of its own on one rank skips the backward's all-reduce": Pattern(
        "if rank == 1:\n    return torch.zeros((), requires_grad=True) * 1.0\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[\d+\] float64\) in backward",
        (0, 0),
        ("waiting", "finished"),
    ),
    "a broadcast from two roots": Pattern(
        "dist.broadcast(one, src=rank)\ndist.barrier()\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called broadcast\(\[1\] float64, from rank 0\) at line 9; "
        r"rank 1 called broadcast\(\[1\] float64, from rank 1\) at line 9",
        (0, 0),
        ("any", "any"),
    ),
    "a broadcast from a root that waits for another": Pattern(
        "dist.broadcast(one, src=1 - rank)\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called broadcast\(\[1\] float64, from rank 1\) at line 9; "
        r"rank 1 called broadcast\(\[1\] float64, from rank 0\) at line 9",
        (1, 1),
        ("waiting", "waiting"),
    ),
    "an exception on one rank": Pattern(
        "if rank == 1:\n    [][0]\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "error",
        r"IndexError: list index out of range \(rank 1, line 10 of your file\)",
        (3, 2),
        ("any", "raised"),
    ),
    "an exception on one rank, caught by none, in the other's backward": Pattern(
        "if rank == 0:\n    raise RuntimeError('no tokens here')\nreturn token_losses.sum()",
        "error",
        r"RuntimeError: no tokens here \(rank 0, line 10 of your file\)",
        (2, 0),
        ("raised", "any"),
    ),
    "sys.exit on one rank": Pattern(
        "if rank == 1:\n    sys.exit(0)\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "error",
        r"SystemExit: 0 \(rank 1, line 10 of your file\)",
        (3, 2),
        ("any", "raised"),
    ),
    "os._exit on one rank": Pattern(
        "if rank == 1:\n    os._exit(0)\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "error",
        r"Rank 1 ended its own process before it returned \(exit code 0\)",
        (3, 0),
        ("any", "exited"),
    ),
    "a recv that nobody answers": Pattern(
        "if rank == 0:\n    dist.recv(one, src=1)\nreturn token_losses.sum()",
        "desync",
        r"rank 0 never joined collective #\d+, in which rank 1 waits: all_reduce\(\[\d+\] float64\) in backward; "
        r"rank 0 waits in recv\(\[1\] float64, from rank 1\) at line 10",
        (2, 0),
        ("waiting", "waiting"),
    ),
    "both wait for the other's send": Pattern(
        "dist.recv(one, src=1 - rank)\nreturn token_losses.sum()",
        "desync",
        r"wait for each other for ever: rank 0 in recv\(\[1\] float64, from rank 1\) at line 9; "
        r"rank 1 in recv\(\[1\] float64, from rank 0\) at line 9",
        (1, 1),
        ("waiting", "waiting"),
    ),
    "both wait for what they had posted before": Pattern(
        "posted = dist.batch_isend_irecv([dist.P2POp(dist.irecv, one, 1 - rank, tag=2)])\nfor work in posted:\n    work.wait()\nreturn token_losses.sum()",
        "desync",
        r"wait for each other for ever: rank 0 at line 11 of your file, for recv\(\[1\] float64, from rank 1, tag 2\) at line 9; "
        r"rank 1 at line 11 of your file, for recv\(\[1\] float64, from rank 0, tag 2\) at line 9",
        (3, 3),
        ("waiting", "waiting"),
    ),
    "a group that one of its ranks never forms": Pattern(
        "if rank == 0:\n    dist.new_group([0, 1])\nelse:\n    dist.recv(one)\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: new_group\(\[0, 1\]\) at line 10; "
        r"rank 1 waits in recv\(\[1\] float64, from any rank\) at line 12",
        (2, 4),
        ("waiting", "waiting"),
    ),
    "keys that each wants before it writes its own": Pattern(
        "store = dist.distributed_c10d._get_default_store()\nstore.get(f'{1 - rank}')\nstore.set(f'{rank}', '')\nreturn token_losses.sum()",
        "desync",
        r"wait for each other for ever: rank 0 in store.get\('1'\) at line 10; rank 1 in store.get\('0'\) at line 10.* "
        r"No rank is left that could make the calls they wait for",
        (2, 2),
        ("waiting", "waiting"),
    ),
    "a key that a rank in an all_reduce would have written": Pattern(
        "store = dist.distributed_c10d._get_default_store()\nif rank == 0:\n    store.wait(['ready'])\ndist.all_reduce(one)\n"
        "store.set('ready', '')\nreturn token_losses.sum()",
        "desync",
        r"rank 0 never joined collective #\d+, in which rank 1 waits: all_reduce\(\[1\] float64\) at line 12; "
        r"rank 0 waits in store.wait\('ready'\) at line 11",
        (3, 4),
        ("waiting", "waiting"),
    ),
    "a subgroup's collective entered by one of its two ranks": Pattern(
        "group = dist.new_group([0, 1])\nif rank == 0:\n    dist.all_reduce(one, group=group)\nreturn token_losses.sum()",
        "desync",
        r"rank 0 never joined collective #\d+, in which ranks 1 and 2 wait: .*; "
        r"rank 0 waits in all_reduce\(\[1\] float64, among ranks 0, 1\) at line 11",
        (3, 0),
        ("waiting", "waiting"),
        sizes=3,
    ),
}


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
    losses = torch.nn.functional.cross_entropy(model(features), targets, reduction="none")
    count = mask.sum()
    CALL
    gradient = losses[mask].sum()
    gradient.backward()
    dist.all_reduce(model.weight.grad, group=group)
    model.weight.grad /= count
    optimizer.step()
"""


def test_collectives_of_different_steps_are_explained(shared_bench: Watched, folder: Path) -> None:
    """Rank 0 reduces something of the same shape once before, rank 1 once after: in between, steps are paired across."""
    right = shared_bench.judge(STEPS, folder, STEP.replace("CALL", "dist.all_reduce(count, group=group)"))
    assert right.outcome == "pass", right.summary
    if_first = "spare = torch.zeros_like(model.weight)\n    if calls == 1 and rank == 0: dist.all_reduce(spare, group=group)"
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
    ],
)
def test_right_programs_that_wait_are_left_alone(shared_bench: Watched, lab: Lab, folder: Path, body: str) -> None:
    verdict = shared_bench.judge(lab_at(lab, 2), folder, program(body))
    assert verdict.outcome == "pass", verdict.summary


def test_a_deadlock_after_more_calls_than_the_journal_holds(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    body = "for _ in range(700):\n    dist.all_reduce(one)\nprint(f'moved {time.time():.4f}')\nif rank == 0:\n    dist.barrier()\nreturn token_losses.sum()"
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
