"""One device, all tokens of a window in one batch. Also: what the wrong ideas lead to that no formula for one token can say,
because it depends on other windows."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy, one_hot

from quizapp_sandbox.contract import Scenario, misconception


class Position(NamedTuple):
    """One row of ``terms``."""

    rank: int
    microbatch: int
    """Counted over the epoch."""
    window: int
    valid: bool


def positions(scenario: Scenario) -> list[Position]:
    """Ranks in order, then microbatches."""
    return [
        Position(rank, k, window, bool(valid))
        for rank in range(scenario.world_size)
        for window in range(len(scenario.windows))
        for k in scenario.window(window)
        for valid in scenario.shard(rank)[f"mask.{k}"]
    ]


def _joined(scenario: Scenario, name: str) -> torch.Tensor:
    each = range(scenario.microbatches)
    return torch.cat([scenario.shard(rank)[f"{name}.{k}"] for rank in range(scenario.world_size) for k in each])


def terms(scenario: Scenario) -> torch.Tensor:
    """Each position's own gradient [positions, P], in closed form: x (softmax - target)^T."""
    features, targets = _joined(scenario, "features"), _joined(scenario, "targets")
    weight = scenario.shared["weight"]
    slopes = torch.softmax(features @ weight, dim=1) - one_hot(targets, weight.shape[1])
    return torch.einsum("tw,tc->twc", features, slopes).flatten(1)


def reference(scenario: Scenario) -> dict[str, torch.Tensor]:
    """``gradients`` [windows, P]: by autograd, of the mean over the window's valid tokens; zero where there are none."""
    features, targets, mask = _joined(scenario, "features"), _joined(scenario, "targets"), _joined(scenario, "mask").bool()
    window_of = torch.tensor([position.window for position in positions(scenario)])
    rows = []
    for window in range(len(scenario.windows)):
        chosen = mask & (window_of == window)
        weight = scenario.shared["weight"].clone().requires_grad_()
        loss = cross_entropy(features[chosen] @ weight, targets[chosen], reduction="sum") / max(int(chosen.sum()), 1)
        rows.append(torch.autograd.grad(loss, weight)[0].reshape(-1))
    return {"gradients": torch.stack(rows), "steps": torch.tensor([len(rows)])}


def _counts(scenario: Scenario) -> list[int]:
    """Valid tokens on all ranks, by window."""
    found = positions(scenario)
    return [sum(p.valid for p in found if p.window == window) for window in range(len(scenario.windows))]


def _weighted(scenario: Scenario, weight: Callable[[Position, int], float], steps: int | None = None) -> dict[str, torch.Tensor]:
    """The observation when each valid token has ``weight(position, step)``; steps from ``steps`` on aren't taken."""
    found, windows = positions(scenario), len(scenario.windows)
    taken = windows if steps is None else steps
    given = torch.tensor(
        [[weight(p, step) if p.valid and step < taken else 0.0 for p in found] for step in range(windows)], dtype=torch.float64
    )
    return {"gradients": given @ terms(scenario), "steps": torch.tensor([taken])}


def _full_windows(scenario: Scenario) -> int:
    return sum(length == scenario.accumulate for length in scenario.windows)


@misconception("tail-dropped")
def tail_dropped(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts = _counts(scenario)
    return _weighted(scenario, lambda p, step: (p.window == step) / counts[p.window], _full_windows(scenario))


@misconception("tail-leaks")
def tail_leaks(scenario: Scenario) -> dict[str, torch.Tensor]:
    """The last epoch's tail is in the first step of this one."""
    counts, full = _counts(scenario), _full_windows(scenario)

    def weight(p: Position, step: int) -> float:
        return (p.window == step or (step == 0 and p.window >= full)) / counts[p.window]

    return _weighted(scenario, weight, full)


@misconception("window-boundary-off-by-one")
def boundary_off_by_one(scenario: Scenario) -> dict[str, torch.Tensor]:
    """Steps after the microbatches 0, K, 2K, ...: each window is counted as it is, but it is another window."""
    step_of = [-(-k // scenario.accumulate) for k in range(scenario.microbatches)]
    found = positions(scenario)
    counts = [sum(p.valid for p in found if step_of[p.microbatch] == step) for step in range(max(step_of) + 1)]
    steps = len(range(0, scenario.microbatches, scenario.accumulate))
    return _weighted(scenario, lambda p, step: (step_of[p.microbatch] == step) / max(counts[step], 1), steps)


@misconception("count-of-another-window")
def count_of_the_first_window(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts = _counts(scenario)
    return _weighted(scenario, lambda p, step: (p.window == step) / max(counts[0], 1))


@misconception("count-of-another-window")
def count_of_the_epoch(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts = _counts(scenario)
    return _weighted(scenario, lambda p, step: (p.window == step) / max(sum(counts), 1))


@misconception("count-of-another-window")
def count_never_reset(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts = _counts(scenario)
    return _weighted(scenario, lambda p, step: (p.window == step) / max(sum(counts[: step + 1]), 1))


@misconception("rank-left-out")
def empty_windows_skipped(scenario: Scenario) -> dict[str, torch.Tensor]:
    """Right where the ranks don't part, which ``lab.yaml`` says."""
    return reference(scenario)


@misconception("rank-left-out")
def empty_microbatches_skipped(scenario: Scenario) -> dict[str, torch.Tensor]:
    """Each microbatch that is back-propagated is reduced. Ranks that make equally many backwards end with the right sum."""
    for window in range(len(scenario.windows)):
        masks = [[scenario.shard(rank)[f"mask.{k}"] for k in scenario.window(window)] for rank in range(scenario.world_size)]
        if len({sum(bool(mask.any()) for mask in row) for row in masks}) > 1:
            return {}
    return reference(scenario)
