"""The reference for ``loss-under-ddp``: the global token mean by one plain backward, and each token's own gradient."""

import torch
from quizapp_sandbox.contract import Scenario
from torch.nn.functional import cross_entropy


def _all(scenario: Scenario, name: str) -> torch.Tensor:
    return torch.cat([scenario.shard(rank)[f"{name}.0"] for rank in range(scenario.world_size)])


def _losses(scenario: Scenario) -> tuple[torch.Tensor, torch.Tensor]:
    weight = scenario.shared["weight"].clone().requires_grad_()
    return weight, cross_entropy(_all(scenario, "features") @ weight, _all(scenario, "targets"), reduction="none")


def reference(scenario: Scenario) -> dict[str, torch.Tensor]:
    """``gradients`` [1, P]: of sum(valid losses) / N, zero where nothing is valid."""
    weight, losses = _losses(scenario)
    mask = _all(scenario, "mask")
    (gradient,) = torch.autograd.grad((losses * mask).sum() / mask.sum().clamp(min=1), weight)
    return {"gradients": gradient.reshape(1, -1)}


def terms(scenario: Scenario) -> torch.Tensor:
    """Each position's own gradient, [positions over all ranks, P], ranks in order."""
    weight, losses = _losses(scenario)
    each = torch.eye(len(losses), dtype=losses.dtype)
    (rows,) = torch.autograd.grad(losses, weight, each, is_grads_batched=True)
    return rows.reshape(len(losses), -1)
