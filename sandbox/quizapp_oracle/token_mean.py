"""The reference of the ready drives: in each accumulation window the mean over its valid tokens on all ranks."""

import torch
from torch.nn.functional import cross_entropy

from quizapp_sandbox.contract import Scenario


def _places(scenario: Scenario) -> list[tuple[int, int]]:
    return [(rank, microbatch) for rank in range(scenario.world_size) for microbatch in range(scenario.microbatches)]


def _losses(scenario: Scenario) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The weight, and for each position its loss, its mask and its window."""
    weight = scenario.shared["weight"].clone().requires_grad_()
    shards = [(scenario.shard(rank), microbatch) for rank, microbatch in _places(scenario)]
    features = torch.cat([shard[f"features.{k}"] for shard, k in shards])
    targets = torch.cat([shard[f"targets.{k}"] for shard, k in shards])
    mask = torch.cat([shard[f"mask.{k}"] for shard, k in shards])
    window_of = [window for window in range(len(scenario.windows)) for _ in scenario.window(window)]
    windows = torch.cat([torch.full_like(shard[f"mask.{k}"], window_of[k]) for shard, k in shards])
    return weight, cross_entropy(features @ weight, targets, reduction="none"), mask, windows


def reference(scenario: Scenario) -> dict[str, torch.Tensor]:
    """``gradients`` [windows, P]: of sum(valid losses) / N in each window, zero where nothing is valid; ``steps`` [1]."""
    weight, losses, mask, windows = _losses(scenario)
    rows = []
    for window in range(len(scenario.windows)):
        chosen = mask * (windows == window)
        mean = (losses * chosen).sum() / chosen.sum().clamp(min=1)
        rows.append(torch.autograd.grad(mean, weight, retain_graph=True)[0].reshape(-1))
    return {"gradients": torch.stack(rows), "steps": torch.tensor([len(rows)])}


def terms(scenario: Scenario) -> torch.Tensor:
    """Each position's own gradient, [positions over all ranks and microbatches, P]."""
    weight, losses, _, _ = _losses(scenario)
    each = torch.eye(len(losses), dtype=losses.dtype, device=losses.device)
    (rows,) = torch.autograd.grad(losses, weight, each, is_grads_batched=True)
    return rows.reshape(len(losses), -1)
