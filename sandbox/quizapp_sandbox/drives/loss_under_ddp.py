"""``loss-under-ddp``: the entry ``f(token_losses, mask)`` gives the scalar that is back-propagated once under DDP.

Observation: ``gradients`` [1, P] float64, this rank's gradient after the backward. In a probe the token losses are a leaf and the
observation is their gradient, [1, positions] float64.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario, scalar_loss


class Classifier(torch.nn.Module):
    """Logits ``features @ weight``, with weight [D, C]."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(weight.clone())

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return features @ self.weight


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    shard = scenario.shard(rank)
    given = {name.removesuffix(".0"): tensor for name, tensor in shard.items()}
    return {**given, **scenario.shared, "mask": given["mask"].bool(), "probe": scenario.probe}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    if inputs["probe"]:
        leaf = inputs["losses"].clone().requires_grad_()
        torch.autograd.backward(scalar_loss(entry(leaf, inputs["mask"].clone())))
        return {"gradients": (torch.zeros_like(leaf) if leaf.grad is None else leaf.grad).reshape(1, -1)}
    model = Classifier(inputs["weight"])
    replica = DistributedDataParallel(model, process_group=group)  # its hooks live only as long as it does
    losses = cross_entropy(replica(inputs["features"]), inputs["targets"], reduction="none")
    torch.autograd.backward(scalar_loss(entry(losses, inputs["mask"].clone())))
    gradient = model.weight.grad
    return {"gradients": (torch.zeros_like(model.weight) if gradient is None else gradient).reshape(1, -1)}
