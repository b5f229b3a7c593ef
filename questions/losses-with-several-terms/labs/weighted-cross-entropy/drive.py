"""Calls the entry once under DDP with this rank's logits and labels, and observes the gradient that DDP leaves.

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
    logits = replica(inputs["features"])
    loss = entry(logits, inputs["labels"].clone(), inputs["class_weight"].clone(), inputs["smoothing"], group)
    torch.autograd.backward(scalar_loss(loss))
    optimizer.step()
    return optimizer.observation(windows=1)
