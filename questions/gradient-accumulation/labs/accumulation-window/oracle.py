"""One device, all tokens of a window in one batch. Also: what the wrong ideas lead to whose denominator depends on the order of
microbatches, which no formula for one token can say."""

from collections.abc import Sequence

import torch
from torch.nn.functional import cross_entropy, one_hot

from quizapp_sandbox.contract import Scenario, misconception


def _joined(scenario: Scenario, name: str) -> torch.Tensor:
    each = range(scenario.microbatches)
    return torch.cat([scenario.shard(rank)[f"{name}.{k}"] for rank in range(scenario.world_size) for k in each])


def _microbatch_of(scenario: Scenario) -> torch.Tensor:
    """Each position's microbatch, counted over all windows: ranks in order, then microbatches."""
    lengths = [len(scenario.shard(r)[f"mask.{k}"]) for r in range(scenario.world_size) for k in range(scenario.microbatches)]
    return torch.arange(scenario.microbatches).repeat(scenario.world_size).repeat_interleave(torch.tensor(lengths))


def terms(scenario: Scenario) -> torch.Tensor:
    """Each position's own gradient [positions, P], in closed form: x (softmax - target)^T."""
    features, targets = _joined(scenario, "features"), _joined(scenario, "targets")
    weight = scenario.shared["weight"]
    slopes = torch.softmax(features @ weight, dim=1) - one_hot(targets, weight.shape[1])
    return torch.einsum("tw,tc->twc", features, slopes).flatten(1)


def reference(scenario: Scenario) -> dict[str, torch.Tensor]:
    """``gradients`` [windows, P]: by autograd, of the mean over the window's valid tokens; zero where there are none."""
    features, targets, mask = _joined(scenario, "features"), _joined(scenario, "targets"), _joined(scenario, "mask").bool()
    microbatch = _microbatch_of(scenario)
    rows = []
    for window in range(len(scenario.windows)):
        chosen = mask & torch.isin(microbatch, torch.tensor(list(scenario.window(window))))
        weight = scenario.shared["weight"].clone().requires_grad_()
        loss = cross_entropy(features[chosen] @ weight, targets[chosen], reduction="sum") / max(int(chosen.sum()), 1)
        rows.append(torch.autograd.grad(loss, weight)[0].reshape(-1))
    return {"gradients": torch.stack(rows), "steps": torch.tensor([len(rows)])}


def _counts(scenario: Scenario) -> list[list[int]]:
    """Valid tokens by microbatch, counted over all windows, and rank."""
    ranks = range(scenario.world_size)
    return [[int(scenario.shard(rank)[f"mask.{k}"].sum()) for rank in ranks] for k in range(scenario.microbatches)]


def _divided(scenario: Scenario, denominators: Sequence[float]) -> dict[str, torch.Tensor]:
    """The observation when each valid token is divided by its microbatch's denominator."""
    microbatch, mask = _microbatch_of(scenario), _joined(scenario, "mask")
    given = mask / torch.tensor(denominators, dtype=torch.float64)[microbatch]
    rows = [given * torch.isin(microbatch, torch.tensor(list(scenario.window(w)))) for w in range(len(scenario.windows))]
    return {"gradients": torch.stack(rows) @ terms(scenario), "steps": torch.tensor([len(rows)])}


@misconception("count-so-far")
def count_so_far(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts = [sum(row) for row in _counts(scenario)]
    found = []
    for window in range(len(scenario.windows)):
        first = scenario.window(window).start
        found += [max(sum(counts[first : k + 1]), 1) for k in scenario.window(window)]
    return _divided(scenario, found)


@misconception("running-count-reduced")
def running_count_reduced(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts, found = _counts(scenario), []
    for window in range(len(scenario.windows)):
        running = 0
        for k in scenario.window(window):
            running = scenario.world_size * running + sum(counts[k])
        found += [max(running, 1)] * scenario.windows[window]
    return _divided(scenario, found)


@misconception("phantom-tokens")
def each_microbatch_guarded(scenario: Scenario) -> dict[str, torch.Tensor]:
    counts, found = _counts(scenario), []
    for window in range(len(scenario.windows)):
        total = sum(max(n, 1) for k in scenario.window(window) for n in counts[k])
        found += [total] * scenario.windows[window]
    return _divided(scenario, found)


@misconception("rank-left-out")
def empty_windows_skipped(scenario: Scenario) -> dict[str, torch.Tensor]:
    """Right where the ranks don't part, which ``lab.yaml`` says."""
    return reference(scenario)


@misconception("rank-left-out")
def empty_microbatches_skipped(scenario: Scenario) -> dict[str, torch.Tensor]:
    """Each microbatch that is back-propagated is reduced. Ranks that make equally many backwards end with the right sum."""
    counts = _counts(scenario)
    for window in range(len(scenario.windows)):
        made = {sum(counts[k][rank] > 0 for k in scenario.window(window)) for rank in range(scenario.world_size)}
        if len(made) > 1:
            return {}
    return reference(scenario)
