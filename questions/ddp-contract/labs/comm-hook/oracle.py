"""The token mean of each step on one device; two ideas that depend on the bucket or on the step before."""

from collections.abc import Callable

import torch
from torch.nn.functional import cross_entropy

from quizapp_sandbox.contract import Scenario, misconception

Observation = dict[str, torch.Tensor]


def _counts(scenario: Scenario, window: int) -> list[int]:
    return [int(scenario.shard(rank)[f"mask.{window}"].sum()) for rank in range(scenario.world_size)]


def reference(scenario: Scenario) -> Observation:
    rows = []
    for window in range(scenario.microbatches):
        weight = scenario.shared["weight"].clone().requires_grad_()
        shards = [scenario.shard(rank) for rank in range(scenario.world_size)]
        keep = torch.cat([shard[f"mask.{window}"] for shard in shards]).bool()
        features = torch.cat([shard[f"features.{window}"] for shard in shards])[keep]
        targets = torch.cat([shard[f"targets.{window}"] for shard in shards])[keep]
        (cross_entropy(features @ weight, targets, reduction="sum") / max(int(keep.sum()), 1)).backward()
        rows.append(weight.grad.reshape(-1))
    return {"gradients": torch.stack(rows)}


def terms(scenario: Scenario) -> torch.Tensor:
    """Each position's own gradient, ranks in order, then windows: the features times (probability minus target), class by class."""
    places = [(scenario.shard(rank), k) for rank in range(scenario.world_size) for k in range(scenario.microbatches)]
    features = torch.cat([shard[f"features.{k}"] for shard, k in places])
    targets = torch.cat([shard[f"targets.{k}"] for shard, k in places])
    slopes = (features @ scenario.shared["weight"]).softmax(dim=1)
    slopes[torch.arange(len(targets)), targets] -= 1
    return (features[:, :, None] * slopes[:, None, :]).reshape(len(targets), -1)


def _weighted(scenario: Scenario, weight: Callable[[int, list[int], int], float]) -> torch.Tensor:
    """[windows, P], where a valid token has the weight that its window, the window's counts and its rank give it."""
    sums = _sums(scenario)
    rows = []
    for window in range(scenario.microbatches):
        counts = _counts(scenario, window)
        rows.append(sum(weight(window, counts, rank) * sums[rank, window] for rank, count in enumerate(counts) if count))
    return torch.stack([row if torch.is_tensor(row) else torch.zeros_like(sums[0, 0]) for row in rows])


def _sums(scenario: Scenario) -> torch.Tensor:
    """[R, windows, P]: the gradient of each rank's loss sum over valid tokens."""
    places = [(scenario.shard(rank), k) for rank in range(scenario.world_size) for k in range(scenario.microbatches)]
    masks = [shard[f"mask.{k}"].double() for shard, k in places]
    parts = terms(scenario).split([len(mask) for mask in masks])
    summed = torch.stack([mask @ rows for mask, rows in zip(masks, parts, strict=True)])
    return summed.reshape(scenario.world_size, scenario.microbatches, -1)


@misconception("count-of-another-window")
def first_count_for_all(scenario: Scenario) -> Observation:
    """Every step is divided by the first one's global count."""
    first = max(sum(_counts(scenario, 0)), 1)
    return {"gradients": _weighted(scenario, lambda window, counts, rank: 1 / first)}


@misconception("count-of-another-window")
def count_of_the_step_before(scenario: Scenario) -> Observation:
    """Each step after the first is divided by the count of the step before."""
    return {"gradients": _weighted(scenario, lambda window, *_: 1 / max(sum(_counts(scenario, max(window - 1, 0))), 1))}


def _second_bucket(scenario: Scenario, gradients: torch.Tensor) -> Observation:
    """The weight's lower half fills the first bucket, since gradients arrive from the output backwards; the upper half is given."""
    right = reference(scenario)["gradients"].clone()
    upper = len(scenario.shared["weight"]) // 2 * 3
    right[:, :upper] = gradients[:, :upper]
    return {"gradients": right}


@misconception("running-count-reduced")
def all_counts_equal_to_the_sum(scenario: Scenario) -> Observation:
    """In the second bucket each rank weighs its mean with N, and divides by R*N."""
    return _second_bucket(scenario, _weighted(scenario, lambda window, counts, rank: 1 / (len(counts) * counts[rank])))


@misconception("running-count-reduced")
def denominator_grows(scenario: Scenario) -> Observation:
    """The local count is kept, the reduced one is reduced again: in the second bucket the denominator is R*N."""
    return _second_bucket(scenario, _weighted(scenario, lambda window, counts, rank: 1 / (len(counts) * sum(counts))))


@misconception("rank-left-out")
def empty_ranks_run_ahead(scenario: Scenario) -> list[Observation] | Observation:
    """An empty rank keeps its zeros and enters no collective; its next one is paired with the others' present one. If the ranks
    have equally many steps with tokens, steps are mixed without a word; else some wait for ever."""
    ranks, sums = range(scenario.world_size), _sums(scenario)
    own = [[window for window in range(scenario.microbatches) if _counts(scenario, window)[rank]] for rank in ranks]
    if len(set(map(len, own))) > 1:
        return {}
    found = torch.zeros_like(sums)
    for paired in zip(*own):
        total = sum(_counts(scenario, window)[rank] for rank, window in enumerate(paired))
        gradient = sum(sums[rank, window] for rank, window in enumerate(paired)) / total
        for rank, window in enumerate(paired):
            found[rank, window] = gradient
    return [{"gradients": found[rank]} for rank in ranks]
