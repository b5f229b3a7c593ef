"""The entry ``train_epoch(model, microbatches, optimizer, accumulate, group)`` is called for two epochs over the same
microbatches, and the second is observed: only then does it show what the first one has left behind.

``model`` is wrapped in DDP; every ``accumulate`` microbatches make a window, and the last window may be short. Observation:
``gradients`` [windows, P] float64, what the optimizer saw at each step of the second epoch (zero rows for steps not taken),
and ``steps`` [1], how many it took there.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario
from quizapp_sandbox.drives.blocks import Classifier, RecordingOptimizer, microbatches_of


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {
        "weight": scenario.shared["weight"],
        "microbatches": microbatches_of(scenario, rank),
        "accumulate": scenario.accumulate,
        "windows": len(scenario.windows),
    }


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    model = Classifier(inputs["weight"])
    optimizer = RecordingOptimizer(model.parameters())
    replica = DistributedDataParallel(model, process_group=group)
    for _ in range(2):
        optimizer.recorded.clear()
        entry(replica, list(inputs["microbatches"]), optimizer, inputs["accumulate"], group)
    return optimizer.observation(inputs["windows"])
