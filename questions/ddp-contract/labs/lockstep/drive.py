"""Calls ``step_or_skip(model, batch, optimizer, group)`` once for each step, with a model in DDP and an optimizer that records.

In the third of three or four steps, one valid position of one rank holds a NaN feature; in a step that is the only one, one of the
first and one of the last rank hold features so far out that the model gives the target the probability 0, and so an infinite loss.
Either way the gradient is NaN. Observation: ``gradients`` [steps, P] float64, what the optimizer saw (a zero row where it wasn't
called), ``stepped`` [steps] int64, how often it was called.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from quizapp_sandbox.contract import Scenario
from quizapp_sandbox.drives.blocks import Classifier, Microbatch, RecordingOptimizer, microbatches_of

BAD_STEP = {1: 0, 3: 2, 4: 2}
"""Steps of a scenario -> which of them is bad."""
INFINITE, ELSEWHERE = 1, 4
"""Steps of a scenario whose bad losses are infinite, and of one in which rank 0's is none of them."""
FAR = 1e9


class LogProbabilities(Classifier):
    """Logits that are normalized already, the careless way: where a probability is 0 in floating point, its logarithm isn't
    finite, and neither is the gradient."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return super().forward(features).softmax(dim=1).log()


def _bad_ranks(scenario: Scenario) -> tuple[int, ...]:
    others = scenario.world_size - 1
    if len(scenario.windows) == INFINITE:
        return 0, others  # a program that counts complaints must not expect a single one
    if len(scenario.windows) != ELSEWHERE:
        return (0,)
    # The last of an even number of ranks: what that rank alone decides shows in two scenarios of every draw.
    return (1 + int(scenario.shared["unlucky"]) % others if scenario.world_size % 2 else others,)


def _spoilt(batch: Microbatch, weight: torch.Tensor, infinite: bool) -> Microbatch:
    """The batch with a loss that isn't finite at its first valid position."""
    features, targets, mask = batch
    features, place = features.clone(), int(mask.nonzero()[0, 0])
    target = int(targets[place])
    if infinite:
        features[place] = FAR * (weight[:, (target + 1) % 3] - weight[:, target])
    else:
        features[place, 0] = float("nan")
    return Microbatch(features, targets, mask)


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    batches = microbatches_of(scenario, rank)
    step = BAD_STEP.get(len(batches))
    if step is not None and rank in _bad_ranks(scenario) and bool(batches[step].mask.any()):
        batches[step] = _spoilt(batches[step], scenario.shared["weight"], len(batches) == INFINITE)
    return {"weight": scenario.shared["weight"], "batches": batches}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    model = LogProbabilities(inputs["weight"])
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
