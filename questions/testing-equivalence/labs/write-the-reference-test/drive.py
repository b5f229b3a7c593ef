"""Hands the entry fifteen training steps, right and wrong, in an order drawn anew, and keeps its verdict on each.

A step is ``train_step(model, features, targets, mask, group) -> float``: it leaves in the parameters' ``.grad`` what an optimizer
would use, and returns the loss that it would log. Observation: 1 or 0 for each step that passes, on each rank, in four groups.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy

from quizapp_sandbox.contract import Invalid, Scenario

Step = Callable[..., float]


def _summed(value: torch.Tensor, group: Any) -> torch.Tensor:
    total = value.detach().clone()
    dist.all_reduce(total, group=group)
    return total


def _reduced(model: torch.nn.Module, loss: torch.Tensor, group: Any, divisor: float | None = None) -> None:
    """Back-propagates, adds the gradients up over the ranks, and divides: by the world size, as DDP does, if nothing is said."""
    model.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= dist.get_world_size(group) if divisor is None else divisor


def _parts(model: torch.nn.Module, features: Any, targets: Any, mask: Any, group: Any) -> tuple[torch.Tensor, ...]:
    """The losses, this rank's masked sum of them and its count, and the sum and the count over all ranks."""
    losses = cross_entropy(model(features), targets, reduction="none")
    own, count = torch.where(mask, losses, torch.zeros_like(losses)).sum(), mask.sum().to(losses.dtype)
    return losses, own, count, _summed(own, group), _summed(count, group)


def _with_factor(factor: Callable[[float, float, int], float], logged: Callable[[float, float, int], float]) -> Step:
    """A step that back-propagates its masked sum times factor(N, sum of max(n_r, 1), R), and logs logged(...) of the sum."""

    def step(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
        _, own, count, total, tokens = _parts(model, features, targets, mask, group)
        clamped = _summed(count.clamp(min=1), group)
        facts = float(tokens), float(clamped), dist.get_world_size(group)
        _reduced(model, own * factor(*facts), group)
        return float(total) * logged(*facts)

    return step


def _mean(tokens: float, clamped: float, ranks: int) -> float:
    return 1 / max(tokens, 1)


right_scaled = _with_factor(lambda tokens, clamped, ranks: ranks / max(tokens, 1), _mean)
factor_missing = _with_factor(lambda tokens, clamped, ranks: 1 / max(tokens, 1), _mean)
two_ranks_only = _with_factor(lambda tokens, clamped, ranks: 2 / max(tokens, 1), _mean)
phantom_token = _with_factor(lambda tokens, clamped, ranks: ranks / (tokens + 1), lambda tokens, clamped, ranks: 1 / (tokens + 1))
phantom_per_empty_rank = _with_factor(lambda tokens, clamped, ranks: ranks / clamped, lambda tokens, clamped, ranks: 1 / clamped)
guard_after_division = _with_factor(lambda tokens, clamped, ranks: 1 / max(tokens / ranks, 1), _mean)


def right_divided_after(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    _, own, _, total, tokens = _parts(model, features, targets, mask, group)
    _reduced(model, own, group, divisor=float(tokens.clamp(min=1)))
    return float(total / tokens.clamp(min=1))


def right_in_float32(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    _, own, _, total, tokens = _parts(model, features, targets, mask, group)
    # A factor of 1 + 2**-24 stands for its rounding, so that it is there for every count.
    factor = dist.get_world_size(group) / tokens.clamp(min=1) * (1 + 2.0**-24)
    _reduced(model, own * factor, group)
    return float(total / tokens.clamp(min=1))


def right_gathered(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(dist.get_world_size(group))]
    dist.all_gather(lengths, torch.tensor([len(features)]), group=group)
    longest = max(int(length) for length in lengths)

    def whole(own: torch.Tensor) -> torch.Tensor:
        padded = own.new_zeros(longest, *own.shape[1:])
        padded[: len(own)] = own
        rows = [torch.empty_like(padded) for _ in lengths]
        dist.all_gather(rows, padded, group=group)
        return torch.cat([row[: int(length)] for row, length in zip(rows, lengths, strict=True)])

    features, targets, chosen = whole(features), whole(targets), whole(mask.to(torch.int64)).bool()
    model.zero_grad()
    loss = cross_entropy(model(features), targets, reduction="none")[chosen].sum() / chosen.sum().clamp(min=1)
    loss.backward()
    return float(loss)


def rank_means(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    _, own, count, _, _ = _parts(model, features, targets, mask, group)
    loss = own / count.clamp(min=1)
    _reduced(model, loss, group)
    return float(_summed(loss, group)) / dist.get_world_size(group)


def padding_summed(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    losses, _, _, _, tokens = _parts(model, features, targets, mask, group)
    loss = losses.sum() / tokens.clamp(min=1)
    _reduced(model, loss * dist.get_world_size(group), group)
    return float(_summed(loss, group))


def padding_counted(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    losses, own, _, total, _ = _parts(model, features, targets, mask, group)
    positions = _summed(losses.new_tensor(float(len(losses))), group).clamp(min=1)
    _reduced(model, own * dist.get_world_size(group) / positions, group)
    return float(total / positions)


def nan_on_an_empty_rank(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    losses, _, count, _, tokens = _parts(model, features, targets, mask, group)
    loss = (losses * mask).sum() / count * (count / tokens.clamp(min=1))
    _reduced(model, loss * dist.get_world_size(group), group)
    return float(_summed(loss, group))


def nan_on_an_empty_step(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    losses, _, _, _, tokens = _parts(model, features, targets, mask, group)
    loss = (losses * mask).sum() / tokens
    _reduced(model, loss * dist.get_world_size(group), group)
    return float(_summed(loss, group))


def last_rank_alone(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
    ranks = dist.get_world_size(group)
    _, own, _, total, tokens = _parts(model, features, targets, mask, group)
    loss = own * ranks / tokens.clamp(min=1)
    mine = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)
    _reduced(model, loss, group)
    if dist.get_rank(group) == ranks - 1:
        for parameter, gradient in zip(model.parameters(), mine, strict=True):
            parameter.grad = gradient
    return float(total / tokens.clamp(min=1))


STEPS: Mapping[str, Mapping[str, Step]] = {
    "passes right steps": {
        "factor R/N": right_scaled,
        "divided after the reduction": right_divided_after,
        "factor in float32": right_in_float32,
        "everything gathered": right_gathered,
    },
    "passes wrong averages": {
        "mean of rank means": rank_means,
        "padding in the sum": padding_summed,
        "padding in the count": padding_counted,
    },
    "passes wrong factors": {
        "factor R missing": factor_missing,
        "factor 2 for every R": two_ranks_only,
        "last rank not reduced": last_rank_alone,
    },
    "passes wrong edges": {
        "one token too many": phantom_token,
        "one token for each empty rank": phantom_per_empty_rank,
        "guard after the division by R": guard_after_division,
        "NaN on an empty rank": nan_on_an_empty_rank,
        "NaN on an empty step": nan_on_an_empty_step,
    },
}
PLACES = [(group, index) for group, steps in STEPS.items() for index in range(len(steps))]


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {"order": scenario.shared["order"].argsort().tolist()}


def _anonymous(chosen: Step) -> Step:
    def train_step(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
        return chosen(model, features, targets, mask, group)

    return train_step


def _verdict(value: object) -> torch.Tensor:
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = bool(value.item())
    if not isinstance(value, bool):
        raise Invalid(f"returned a {type(value).__name__}; return True or False")
    return torch.tensor(int(value))


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    found = {name: torch.zeros(len(steps), dtype=torch.int64) for name, steps in STEPS.items()}
    for place in inputs["order"]:
        name, index = PLACES[place]
        torch.manual_seed(0)
        found[name][index] = _verdict(entry(_anonymous(list(STEPS[name].values())[index]), group))
    return found
