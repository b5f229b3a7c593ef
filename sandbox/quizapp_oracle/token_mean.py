"""The reference of the ready drives: in each accumulation window the mean over its valid tokens on all ranks."""

import torch
from torch.nn.functional import cross_entropy, one_hot

from quizapp_sandbox.contract import Scenario


def _places(scenario: Scenario) -> list[tuple[int, int]]:
    return [(rank, microbatch) for rank in range(scenario.world_size) for microbatch in range(scenario.microbatches)]


def _joined(scenario: Scenario, name: str) -> torch.Tensor:
    return torch.cat([scenario.shard(rank)[f"{name}.{k}"] for rank, k in _places(scenario)])


def _losses(scenario: Scenario) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The weight, and for each position its loss, its mask and its window."""
    weight = scenario.shared["weight"].clone().requires_grad_()
    losses = cross_entropy(_joined(scenario, "features") @ weight, _joined(scenario, "targets"), reduction="none")
    window_of = [window for window in range(len(scenario.windows)) for _ in scenario.window(window)]
    windows = [torch.full_like(scenario.shard(rank)[f"mask.{k}"], window_of[k]) for rank, k in _places(scenario)]
    return weight, losses, _joined(scenario, "mask"), torch.cat(windows)


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
    """Each position's own gradient, [positions over all ranks and microbatches, P], in closed form: x (softmax - target)^T."""
    features, targets = _joined(scenario, "features"), _joined(scenario, "targets")
    weight = scenario.shared["weight"]
    slopes = torch.softmax(features @ weight, dim=1) - one_hot(targets, weight.shape[1])
    return torch.einsum("tw,tc->twc", features, slopes).flatten(1)
