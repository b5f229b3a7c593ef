"""Calls the entry for each microbatch of a window, back-propagates what it returns, and averages the gradients over ranks.

The model is a classifier and a router that share their features. Averaging is written out here, as DDP does it, so that a term
that is left out on one rank shows as a number and not as a hang. Observation: ``gradients`` [windows, P], ``steps`` [1].
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy, one_hot

from quizapp_sandbox.contract import Scenario, scalar_loss
from quizapp_sandbox.drives.blocks import RecordingOptimizer, by_window, microbatches_of


class Settings(NamedTuple):
    """What a configuration file holds."""

    alpha: float
    beta: float
    accumulate: int


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    shared = scenario.shared
    return {
        "weight": shared["weight"],
        "router": shared["router"],
        "settings": Settings(float(shared["alpha"]), float(shared["beta"]), scenario.accumulate),
        "windows": by_window(scenario, microbatches_of(scenario, rank)),
    }


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    weight, router = (torch.nn.Parameter(inputs[name].clone()) for name in ("weight", "router"))
    optimizer = RecordingOptimizer([weight, router])
    for window in inputs["windows"]:
        optimizer.zero_grad()
        masks = [mask for _, _, mask in window]
        for k, (features, targets, _) in enumerate(window):
            losses = cross_entropy(features @ weight, targets, reduction="none")
            routing = features @ router
            chosen = one_hot(routing.argmax(1), routing.shape[1]).double().mean(0)
            balance = routing.shape[1] * (chosen * routing.softmax(1).mean(0)).sum()
            size = routing.logsumexp(1).square()
            loss = entry(k, losses, balance, size, [mask.clone() for mask in masks], inputs["settings"], group)
            torch.autograd.backward(scalar_loss(loss))
        for parameter in (weight, router):
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            dist.all_reduce(parameter.grad, group=group)
            parameter.grad /= dist.get_world_size(group)
        optimizer.step()
    return optimizer.observation(len(inputs["windows"]))
