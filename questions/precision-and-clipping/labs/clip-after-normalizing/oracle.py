"""One device with all tokens: their mean gradient, its norm, and the same direction no longer than the limit."""

from collections.abc import Callable

import torch

from quizapp_sandbox.contract import Scenario, misconception

TENSORS = (5, 3)
Arrays = dict[str, torch.Tensor]
Result = tuple[torch.Tensor, torch.Tensor]
"""A gradient [8], or a shard of it, and a norm []."""


def _shards(world_size: int) -> list[list[torch.Tensor]]:
    """For each rank the places of its shard of each tensor."""
    tensors = torch.arange(sum(TENSORS)).split(TENSORS)
    return [[tensor.tensor_split(world_size)[rank] for tensor in tensors] for rank in range(world_size)]


def _observed(scenario: Scenario, rule: Callable[[bool, float, int], Result]) -> list[Arrays]:
    """What each rank ends with under a rule (sharded, limit, rank) -> whole gradient and norm."""
    limits = (float(scenario.shared["low_limit"]), float(scenario.shared["high_limit"]))
    found = []
    for rank, places in enumerate(_shards(scenario.world_size)):
        own: Arrays = {}
        for name in ("replicated", "sharded"):
            pairs = [rule(name == "sharded", limit, rank) for limit in limits]
            kept = torch.cat(places) if name == "sharded" else torch.arange(sum(TENSORS))
            own[name] = torch.stack([gradient[kept] for gradient, _ in pairs])
            own[f"{name}_norm"] = torch.stack([torch.as_tensor(norm, dtype=torch.float64) for _, norm in pairs])
        found.append(own)
    return found


def _sums(scenario: Scenario) -> torch.Tensor:
    """Gradient sums [R, K, 8]."""
    rows = []
    for rank in range(scenario.world_size):
        shard = scenario.shard(rank)
        rows.append([(shard[f"rows.{k}"] * shard[f"mask.{k}"][:, None]).sum(0) for k in range(scenario.microbatches)])
    return torch.stack([torch.stack(row) for row in rows])


def _counts(scenario: Scenario) -> torch.Tensor:
    """Valid tokens [R, K]."""
    ranks, microbatches = range(scenario.world_size), range(scenario.microbatches)
    return torch.stack([torch.stack([scenario.shard(rank)[f"mask.{k}"].sum() for k in microbatches]) for rank in ranks])


def _tokens(scenario: Scenario) -> torch.Tensor:
    return _counts(scenario).sum().clamp(min=1)


def _clipped(gradient: torch.Tensor, limit: float, norm: torch.Tensor | None = None) -> torch.Tensor:
    length = gradient.norm() if norm is None else norm
    return gradient * (limit / length if length > limit else 1.0)


def reference(scenario: Scenario) -> list[Arrays]:
    rows = [
        scenario.shard(rank)[f"rows.{k}"][scenario.shard(rank)[f"mask.{k}"] == 1]
        for rank in range(scenario.world_size)
        for k in range(scenario.microbatches)
    ]
    tokens = torch.cat(rows)
    mean = tokens.mean(0) if len(tokens) else torch.zeros(sum(TENSORS), dtype=torch.float64)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        norm = torch.linalg.vector_norm(mean)
        return mean * min(1.0, limit / max(float(norm), 1e-300)), norm

    return _observed(scenario, rule)


def _mean(scenario: Scenario) -> torch.Tensor:
    return _sums(scenario).sum((0, 1)) / _tokens(scenario)


@misconception("norm-of-one-shard")
def own_norm(scenario: Scenario) -> list[Arrays]:
    mean, shards = _mean(scenario), _shards(scenario.world_size)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        norm = mean[torch.cat(shards[rank])].norm() if sharded else mean.norm()
        return _clipped(mean, limit, norm), norm

    return _observed(scenario, rule)


@misconception("replicated-norm-summed")
def copies_added(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        norm = mean.norm() * (1.0 if sharded else scenario.world_size**0.5)
        return _clipped(mean, limit, norm), norm

    return _observed(scenario, rule)


@misconception("norms-added")
def shard_norms_added(scenario: Scenario) -> list[Arrays]:
    mean, shards = _mean(scenario), _shards(scenario.world_size)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        norm = sum(mean[torch.cat(places)].norm() for places in shards) if sharded else mean.norm()
        return _clipped(mean, limit, norm), torch.as_tensor(norm)

    return _observed(scenario, rule)


@misconception("norms-added")
def tensor_norms_added(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)
    norm = torch.stack([part.norm() for part in mean.split(TENSORS)]).sum()
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(mean, limit, norm), norm))


@misconception("clip-before-reduction")
def own_contribution_clipped(scenario: Scenario) -> list[Arrays]:
    mean, parts = _mean(scenario), _sums(scenario).sum(1) * scenario.world_size / _tokens(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        if sharded:
            return _clipped(mean, limit), mean.norm()
        return torch.stack([_clipped(part, limit) for part in parts]).mean(0), parts[rank].norm()

    return _observed(scenario, rule)


@misconception("clip-before-reduction")
def own_part_clipped(scenario: Scenario) -> list[Arrays]:
    mean, parts = _mean(scenario), _sums(scenario).sum(1) / _tokens(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        if sharded:
            return _clipped(mean, limit), mean.norm()
        return torch.stack([_clipped(part, limit) for part in parts]).sum(0), parts[rank].norm()

    return _observed(scenario, rule)


@misconception("clip-then-normalize")
def sums_clipped(scenario: Scenario) -> list[Arrays]:
    total = _sums(scenario).sum((0, 1))
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(total, limit) / _tokens(scenario), total.norm()))


@misconception("clip-then-normalize")
def sums_clipped_and_the_mean_reported(scenario: Scenario) -> list[Arrays]:
    total, norm = _sums(scenario).sum((0, 1)), _mean(scenario).norm()
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(total, limit) / _tokens(scenario), norm))


@misconception("clip-each-microbatch")
def running_gradient_clipped(scenario: Scenario) -> list[Arrays]:
    parts = _sums(scenario).sum(0) / _tokens(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        gradient, norm = torch.zeros_like(parts[0]), parts.new_zeros(())
        for part in parts:
            norm = (gradient + part).norm()
            gradient = _clipped(gradient + part, limit)
        return gradient, norm

    return _observed(scenario, rule)


@misconception("norm-per-tensor")
def tensors_clipped(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        return torch.cat([_clipped(part, limit) for part in mean.split(TENSORS)]), mean.norm()

    return _observed(scenario, rule)


@misconception("scaled-up-to-the-limit")
def always_scaled(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        return mean * (limit / mean.norm() if mean.any() else 1.0), mean.norm()

    return _observed(scenario, rule)


@misconception("scaled-up-to-the-limit")
def always_scaled_unguarded(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)
    return _observed(scenario, lambda sharded, limit, rank: (mean * (limit / mean.norm()), mean.norm()))


@misconception("norm-read-after-clipping")
def short_norm(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        return _clipped(mean, limit), _clipped(mean, limit).norm()

    return _observed(scenario, rule)


@misconception("forgot-world-size-factor")
def averaged_over_ranks_too(scenario: Scenario) -> list[Arrays]:
    mean = _mean(scenario)

    def rule(sharded: bool, limit: float, rank: int) -> Result:
        gradient = mean if sharded else mean / scenario.world_size
        return _clipped(gradient, limit), gradient.norm()

    return _observed(scenario, rule)


@misconception("mean-of-microbatch-means")
def microbatch_means(scenario: Scenario) -> list[Arrays]:
    gradient = (_sums(scenario).sum(0) / _counts(scenario).sum(0).clamp(min=1)[:, None]).mean(0)
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(gradient, limit), gradient.norm()))


@misconception("guard-after-division")
def count_per_rank_guarded(scenario: Scenario) -> list[Arrays]:
    mean = _sums(scenario).sum((0, 1)) / _counts(scenario).sum().clamp(min=scenario.world_size)
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(mean, limit), mean.norm()))


@misconception("total-in-low-precision")
def count_in_bfloat16(scenario: Scenario) -> list[Arrays]:
    """Only a crowd has a count that bfloat16 rounds, whatever is added to what first."""
    mean = _sums(scenario).sum((0, 1)) / _tokens(scenario).bfloat16().double()
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(mean, limit), mean.norm()))


@misconception("zero-over-zero")
def unguarded(scenario: Scenario) -> list[Arrays]:
    mean = _sums(scenario).sum((0, 1)) / _counts(scenario).sum()
    return _observed(scenario, lambda sharded, limit, rank: (_clipped(mean, limit), mean.norm()))
