"""``train-window``: the entry ``f(model, microbatches, optimizer, group)`` makes one optimizer step; called once for each window.

``model`` is wrapped in DDP, ``microbatches`` is a list of ``(features, targets, mask)``, ``model(features)`` gives logits
[positions, 3]. Observation: ``gradients`` [windows, P] float64, what the optimizer saw at each step, and ``steps`` [1].
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario
from quizapp_sandbox.drives.blocks import Classifier, RecordingOptimizer, by_window, microbatches_of


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {"weight": scenario.shared["weight"], "windows": by_window(scenario, microbatches_of(scenario, rank))}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    model = Classifier(inputs["weight"])
    optimizer = RecordingOptimizer(model.parameters())
    replica = DistributedDataParallel(model, process_group=group)
    for microbatches in inputs["windows"]:
        entry(replica, list(microbatches), optimizer, group)
    return optimizer.observation(len(inputs["windows"]))
