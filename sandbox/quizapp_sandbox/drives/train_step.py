"""``train-step``: as ``train-window``, with a plain model: how ranks come to one gradient is the entry's own affair.

Observation: ``gradients`` [windows, P] float64, what the optimizer saw at each step, and ``steps`` [1].
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from quizapp_sandbox.contract import Scenario
from quizapp_sandbox.drives.blocks import Classifier, RecordingOptimizer, by_window, microbatches_of


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {"weight": scenario.shared["weight"], "windows": by_window(scenario, microbatches_of(scenario, rank))}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    model = Classifier(inputs["weight"])
    optimizer = RecordingOptimizer(model.parameters())
    for microbatches in inputs["windows"]:
        entry(model, list(microbatches), optimizer, group)
    return optimizer.observation(len(inputs["windows"]))
