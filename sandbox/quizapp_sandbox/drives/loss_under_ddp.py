"""``loss-under-ddp``: the entry ``f(token_losses, mask)`` gives the scalar that is back-propagated under DDP, once in each step.

Observation: ``gradients`` [windows, P] float64, this rank's gradient after each backward, and ``steps``. In a probe the token
losses are a leaf and the observation is their gradient, [1, positions] float64.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario, scalar_loss
from quizapp_sandbox.drives.blocks import Classifier, RecordingOptimizer, microbatches_of


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    if scenario.probe:
        shard = scenario.shard(rank)
        return {"losses": shard["losses.0"], "mask": shard["mask.0"].bool()}
    return {"weight": scenario.shared["weight"], "microbatches": microbatches_of(scenario, rank)}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    if "losses" in inputs:
        leaf = inputs["losses"].clone().requires_grad_()
        torch.autograd.backward(scalar_loss(entry(leaf, inputs["mask"])))
        return {"gradients": (torch.zeros_like(leaf) if leaf.grad is None else leaf.grad).reshape(1, -1)}
    model = Classifier(inputs["weight"])
    optimizer = RecordingOptimizer(model.parameters())
    replica = DistributedDataParallel(model, process_group=group)  # its hooks live only as long as it does
    for features, targets, mask in inputs["microbatches"]:
        optimizer.zero_grad()
        losses = cross_entropy(replica(features), targets, reduction="none")
        torch.autograd.backward(scalar_loss(entry(losses, mask)))
        optimizer.step()
    return optimizer.observation(len(inputs["microbatches"]))
