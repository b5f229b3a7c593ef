"""Calls the entry under DDP with this rank's logits and labels, and observes the gradient that DDP leaves. Another step goes
before, whose rows are of other classes: a sum of class weights that is kept from it is the wrong one.

Observation: ``gradients`` [1, P] float64 and ``steps`` [1].
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario, scalar_loss
from quizapp_sandbox.drives.blocks import Classifier, RecordingOptimizer

IGNORED = -100


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    shard = scenario.shard(rank)
    return {
        "weight": scenario.shared["weight"],
        "features": shard["features.0"],
        "labels": shard["targets.0"].masked_fill(shard["mask.0"] == 0, IGNORED),
        "class_weight": scenario.shared["class_weight"],
        "smoothing": float(scenario.shared["smoothing"]),
    }


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    model = Classifier(inputs["weight"])
    optimizer = RecordingOptimizer(model.parameters())
    replica = DistributedDataParallel(model, process_group=group)
    for labels in (of_other_classes(inputs["labels"]), inputs["labels"].clone()):
        optimizer.zero_grad()
        logits = replica(inputs["features"])
        loss = entry(logits, labels, inputs["class_weight"].clone(), inputs["smoothing"], group)
        torch.autograd.backward(scalar_loss(loss))
    optimizer.step()
    return optimizer.observation(windows=1)


def of_other_classes(labels: torch.Tensor) -> torch.Tensor:
    """The same rows labelled, each with the next of the three classes."""
    return torch.where(labels == IGNORED, labels, (labels + 1) % 3)
