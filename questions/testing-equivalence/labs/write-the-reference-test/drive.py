"""Hands the entry fifteen training steps, right and wrong, in an order drawn anew, and keeps its verdict on each.

A step is ``train_step(model, features, targets, mask, group) -> float``: it leaves in the parameters' ``.grad`` what an optimizer
would use, and returns the loss that it would log. All fifteen are one function here. What tells them apart is in the lab's
``counterpart.py``, in a process of its own, which also holds their order: it says what the step at hand makes of all ranks' masks.
Observation: 1 or 0 for each step that passes, on each rank; the counterpart puts them into four groups.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy

from quizapp_sandbox.contract import Scenario, truth
from quizapp_sandbox.counterpart import ask

STEPS = 15


def _all_masks(mask: torch.Tensor, group: Any) -> dict[str, torch.Tensor]:
    """Every rank's mask, padded to the longest [R, longest] int64, and their lengths [R]."""
    ranks = dist.get_world_size(group)
    lengths = [torch.zeros(1, dtype=torch.int64, device=mask.device) for _ in range(ranks)]
    dist.all_gather(lengths, torch.tensor([len(mask)], device=mask.device), group=group)
    own = mask.new_zeros(max(1, *(int(length) for length in lengths)), dtype=torch.int64)
    own[: len(mask)] = mask
    rows = [torch.empty_like(own) for _ in range(ranks)]
    dist.all_gather(rows, own, group=group)
    return {"lengths": torch.cat(lengths), "masks": torch.stack(rows)}


def _weighted(losses: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    weights = weights.to(losses)
    return (torch.where(weights != 0, losses, torch.zeros_like(losses)) * weights).sum()


def _step(number: int) -> Callable[..., float]:
    def train_step(model: Any, features: Any, targets: Any, mask: Any, group: Any) -> float:
        if mask.dtype is not torch.bool or mask.shape != targets.shape:
            raise TypeError(f"mask is {list(mask.shape)} {mask.dtype}; it must be bool, with a place for each target")
        rank = torch.tensor([dist.get_rank(group)])
        step = ask({"step": torch.tensor([number]), "rank": rank, **_all_masks(mask, group)})
        model.zero_grad()
        losses = cross_entropy(model(features), targets, reduction="none")
        _weighted(losses, step["weights"]).backward()
        parameters = list(model.parameters())
        own = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        logged = _weighted(losses.detach(), step["logged"])
        summed = torch.cat([*(gradient.reshape(-1) for gradient in own), logged.reshape(1)])
        dist.all_reduce(summed, group=group)
        *gradients, logged = summed.split([*map(torch.numel, own), 1])
        for parameter, mine, total in zip(parameters, own, gradients, strict=True):
            alone = step["alone"].to(mine)
            parameter.grad = torch.where(alone != 0, mine * alone, total.reshape(mine.shape).to(mine))
        return float(logged)

    return train_step


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    found = torch.zeros(STEPS, dtype=torch.int64)
    for number in range(STEPS):
        torch.manual_seed(0)
        found[number] = int(truth(entry(_step(number), group)))
    return {"verdicts": found}
