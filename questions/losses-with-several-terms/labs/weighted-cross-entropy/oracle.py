"""One process with all rows: ``cross_entropy`` with class weights and label smoothing. Predictions weigh rows otherwise.

A row has two losses: the weighted log loss of its target, ``w[y] * -log p[y]``, and the smoothing part, the mean over classes of
``w[c] * -log p[c]``. Rows of ``terms``: the gradient of each position's plain ``-log p[y]`` (so that the class weight shows in the
weight recovered), then that of each position's smoothing part.
"""

import torch
from torch.nn.functional import cross_entropy

from quizapp_sandbox.contract import Scenario, misconception

Arrays = dict[str, torch.Tensor]


def _rows(scenario: Scenario) -> tuple[torch.Tensor, ...]:
    """Features [T, D], targets [T] (real ones for ignored rows too), mask [T] float64, rank [T]."""
    shards = [scenario.shard(rank) for rank in range(scenario.world_size)]
    features, targets, mask = (torch.cat([shard[f"{name}.0"] for shard in shards]) for name in ("features", "targets", "mask"))
    rank = torch.cat([torch.full_like(shard["mask.0"], index) for index, shard in enumerate(shards)])
    return features, targets, mask.double(), rank


def _smoothing(scenario: Scenario) -> float:
    return float(scenario.shared["smoothing"])


def _gradient(scenario: Scenario, loss_of: object) -> Arrays:
    weight = scenario.shared["weight"].clone().requires_grad_()
    features, targets, mask, _ = _rows(scenario)
    loss = loss_of(features @ weight, targets, mask)  # type: ignore[operator]
    (gradient,) = torch.autograd.grad(loss, weight)
    return {"gradients": gradient.reshape(1, -1), "steps": torch.ones(1)}


def reference(scenario: Scenario) -> Arrays:
    def loss(logits: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if not mask.any():
            return logits.sum() * 0
        labels = targets.masked_fill(mask == 0, -100)
        weights, smoothing = scenario.shared["class_weight"], _smoothing(scenario)
        return cross_entropy(logits, labels, weight=weights, label_smoothing=smoothing)

    return _gradient(scenario, loss)


def terms(scenario: Scenario) -> torch.Tensor:
    """[2T, P]."""
    features, targets, _, _ = _rows(scenario)
    probability = (features @ scenario.shared["weight"]).softmax(1)
    classes = torch.eye(3, dtype=torch.float64)
    # The gradient of -log p[c] is the features times (p - one_hot(c)).
    each = probability[:, None, :] - classes
    own = each[torch.arange(len(targets)), targets]
    smoothed = (scenario.shared["class_weight"][:, None] * each).mean(1)
    return torch.cat([(features[:, :, None] * part[:, None, :]).flatten(1) for part in (own, smoothed)])


_known: list[tuple[Scenario, torch.Tensor]] = []


def _terms_once(scenario: Scenario) -> torch.Tensor:
    """The terms; all predictions for one scenario are asked for in a row."""
    if not _known or _known[0][0] is not scenario:
        _known[:] = [(scenario, terms(scenario))]
    return _known[0][1]


def _numerator(scenario: Scenario) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights of both parts in the sum that the objective divides, [T] each."""
    _, targets, mask, _ = _rows(scenario)
    smoothing = _smoothing(scenario)
    return (1 - smoothing) * scenario.shared["class_weight"][targets] * mask, smoothing * mask


def _per_rank(scenario: Scenario, of_row: torch.Tensor) -> torch.Tensor:
    """Each row's sum over the rows of its rank, [T]."""
    _, _, _, rank = _rows(scenario)
    return torch.zeros(scenario.world_size, dtype=torch.float64).index_add(0, rank, of_row)[rank]


def _labelled(scenario: Scenario) -> torch.Tensor:
    """The class weight of each labelled row, 0 for ignored ones."""
    _, targets, mask, _ = _rows(scenario)
    return scenario.shared["class_weight"][targets] * mask


def wanted(scenario: Scenario) -> torch.Tensor:
    """[1, 2T], as :func:`terms` has its rows."""
    both, total = torch.cat(_numerator(scenario)), _labelled(scenario).sum()
    return (both / total if total > 0 else both).reshape(1, -1)


def _weighted(scenario: Scenario, factor: torch.Tensor | float, poison: bool = False) -> Arrays:
    """The objective's sum with each row multiplied by a factor; 0/0 counts as 0, or, with ``poison``, makes everything NaN."""
    own, smoothed = (torch.nan_to_num(part * factor, nan=0.0, posinf=0.0) for part in _numerator(scenario))
    gradients = torch.cat([own, smoothed]) @ _terms_once(scenario)
    return {"gradients": (gradients * torch.nan if poison else gradients).reshape(1, -1), "steps": torch.ones(1)}


@misconception("mean-of-rank-weighted-means")
def own_weight_sum(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / (scenario.world_size * _per_rank(scenario, _labelled(scenario))))


@misconception("mean-of-rank-weighted-means")
def own_weight_sum_unguarded(scenario: Scenario) -> Arrays:
    sums = _per_rank(scenario, _labelled(scenario))
    return _weighted(scenario, 1 / (scenario.world_size * sums), poison=bool((sums == 0).any()))


@misconception("mean-of-rank-means")
def own_count(scenario: Scenario) -> Arrays:
    _, _, mask, _ = _rows(scenario)
    return _weighted(scenario, 1 / (scenario.world_size * _per_rank(scenario, mask)))


@misconception("mean-of-rank-means")
def own_count_unguarded(scenario: Scenario) -> Arrays:
    _, _, mask, _ = _rows(scenario)
    counts = _per_rank(scenario, mask)
    return _weighted(scenario, 1 / (scenario.world_size * counts), poison=bool((counts == 0).any()))


@misconception("class-weights-not-in-denominator")
def global_count(scenario: Scenario) -> Arrays:
    _, _, mask, _ = _rows(scenario)
    return _weighted(scenario, 1 / mask.sum())


@misconception("target-weight-on-smoothing")
def weight_times_smoothed_loss(scenario: Scenario) -> Arrays:
    def loss(logits: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        smoothed = cross_entropy(logits, targets, label_smoothing=_smoothing(scenario), reduction="none")
        weights = _labelled(scenario)
        return (weights * smoothed).sum() / weights.sum().clamp(min=1e-12)

    return _gradient(scenario, loss)


@misconception("ignored-rows-smoothed")
def smoothing_without_mask(scenario: Scenario) -> Arrays:
    own, _ = _numerator(scenario)
    total = _labelled(scenario).sum()
    smoothed = torch.full_like(own, _smoothing(scenario))
    gradients = torch.cat([own, smoothed]) @ _terms_once(scenario)
    return {"gradients": (gradients / total if total > 0 else gradients * 0).reshape(1, -1), "steps": torch.ones(1)}


@misconception("guard-meant-for-counts")
def clamped_to_one(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / _labelled(scenario).sum().clamp(min=1))


@misconception("guard-meant-for-counts")
def one_added(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / (_labelled(scenario).sum() + 1))


@misconception("padding-counted")
def own_rows(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / (scenario.world_size * _per_rank(scenario, torch.ones_like(_labelled(scenario)))))


@misconception("padding-counted")
def all_rows(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / len(_labelled(scenario)))


@misconception("padding-counted")
def class_weights_of_all_rows(scenario: Scenario) -> Arrays:
    _, targets, _, _ = _rows(scenario)
    return _weighted(scenario, 1 / scenario.shared["class_weight"][targets].sum())


@misconception("forgot-world-size-factor")
def averaged_again(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / (scenario.world_size * _labelled(scenario).sum()))


@misconception("world-size-factor-twice")
def factor_twice(scenario: Scenario) -> Arrays:
    return _weighted(scenario, scenario.world_size / _labelled(scenario).sum())


@misconception("means-summed")
def means_added(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / _per_rank(scenario, _labelled(scenario)))


@misconception("raw-sum")
def sums_averaged(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1 / scenario.world_size)


@misconception("raw-sum")
def sums_added(scenario: Scenario) -> Arrays:
    return _weighted(scenario, 1.0)


@misconception("zero-over-zero")
def unguarded(scenario: Scenario) -> Arrays:
    total = _labelled(scenario).sum()
    return _weighted(scenario, 1 / total, poison=bool(total == 0))
