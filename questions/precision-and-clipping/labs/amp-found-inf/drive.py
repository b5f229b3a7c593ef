"""Calls the entry once for each of two windows, with a real GradScaler and SGD, on this rank's shard of the parameters.

Gradients arrive as a reduce-scatter leaves them: complete, each rank its own entries. Arithmetic is float64, so that results can
be compared exactly; only float16's range is imitated: a scaled gradient beyond 65504 becomes infinite. In some scenarios one entry
does, in others all of them do twice, with different signs, which adds up to NaN. The limit is low in one window and far above every
norm in the other. Observation: ``step`` [windows, 3], by how much the parameters go down from where they began, and ``scale``
[windows] afterwards, of each rank.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from quizapp_sandbox.contract import Scenario

LARGEST = 65504.0
FIRST_SCALE = 1024.0
SPIKE = 125.0
"""Times a slope of 0.55 to 0.95 it overflows at a scale of 1024, and doesn't at 512."""
HIGH_LIMIT = 1000.0


class HalfRange(torch.autograd.Function):
    """The identity; its gradient overflows where float16 does."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return torch.where(gradient.abs() > LARGEST, torch.copysign(torch.full_like(gradient, torch.inf), gradient), gradient)


def limits(scenario: Scenario) -> list[float]:
    """Of each window. No norm reaches the high one, so that clipping can't hide that nothing was unscaled."""
    both = [float(scenario.shared["low_limit"]), HIGH_LIMIT]
    return both if scenario.shared["low_first"] else both[::-1]


def slopes(scenario: Scenario, rank: int, window: int) -> list[torch.Tensor]:
    """The gradients of the window's losses on a rank, [3] each. A rank without a valid token overflows."""
    shard, inside = scenario.shard(rank), scenario.window(window)
    counts = torch.stack([shard[f"mask.{k}"].sum() for k in inside])
    factors = counts[:, None].double().repeat(1, 3) / 2
    spike = SPIKE if shard["upward"] else -SPIKE
    if not counts.any():
        if scenario.shared["cancels"]:
            factors[0], factors[-1] = -spike, spike
        else:
            factors[-1, int(shard["entry"])] = spike
    return [shard[f"slopes.{k}"] * row for k, row in zip(inside, factors, strict=True)]


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    shard = scenario.shard(rank)
    windows = [slopes(scenario, rank, index) for index in range(len(scenario.windows))]
    return {"parameters": shard["parameters"], "windows": windows, "limits": limits(scenario)}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    shard = torch.nn.Parameter(inputs["parameters"].clone())
    optimizer = torch.optim.SGD([shard], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=FIRST_SCALE, growth_interval=1_000_000)
    scaler.scale(torch.zeros(()))  # creates the scale
    steps, scale = [], []
    for slopes, limit in zip(inputs["windows"], inputs["limits"], strict=True):
        with torch.no_grad():
            shard.copy_(inputs["parameters"])  # so that a window shows what is done in it, and no NaN of the one before
        optimizer.zero_grad(set_to_none=True)
        losses = [lambda slope=slope: (HalfRange.apply(shard) * slope).sum() for slope in slopes]
        entry(losses, optimizer, scaler, limit, group)
        steps.append(inputs["parameters"] - shard.detach())
        scale.append(scaler.get_scale())
    return {"step": torch.stack(steps), "scale": torch.tensor(scale, dtype=torch.float64)}
