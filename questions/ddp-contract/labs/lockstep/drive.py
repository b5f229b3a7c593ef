"""Calls ``step_or_skip(model, batch, optimizer, group)`` once for each step, with a model in DDP and an optimizer that records.

Where a scenario has three or four steps, one valid position of one rank holds a NaN feature in the third. Observation:
``gradients`` [steps, P] float64, what the optimizer saw (a zero row where it wasn't called), ``stepped`` [steps] int64, how often
it was called.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario
from quizapp_sandbox.drives.blocks import Classifier, Microbatch, RecordingOptimizer, microbatches_of

BAD_STEP = 2


def _bad_rank(scenario: Scenario) -> int:
    others = scenario.world_size - 1
    return 0 if len(scenario.windows) == BAD_STEP + 1 else 1 + int(scenario.shared["unlucky"]) % others


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    batches = microbatches_of(scenario, rank)
    if len(batches) > BAD_STEP and rank == _bad_rank(scenario) and bool(batches[BAD_STEP].mask.any()):
        features, targets, mask = batches[BAD_STEP]
        features = features.clone()
        features[mask.nonzero()[0, 0], 0] = float("nan")
        batches[BAD_STEP] = Microbatch(features, targets, mask)
    return {"weight": scenario.shared["weight"], "batches": batches}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    model = Classifier(inputs["weight"])
    optimizer = RecordingOptimizer(model.parameters())
    replica = DistributedDataParallel(model, process_group=group)
    rows, stepped = [], []
    for batch in inputs["batches"]:
        before = len(optimizer.recorded)
        entry(replica, batch, optimizer, group)
        new = optimizer.recorded[before:]
        rows.append(new[0] if new else torch.zeros_like(optimizer.gradients()))
        stepped.append(len(new))
    return {"gradients": torch.stack(rows), "stepped": torch.tensor(stepped)}
