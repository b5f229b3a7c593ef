"""What a lab's ``drive.py`` and ``oracle.py`` are written against. The only module of this package that they need to import.

``drive.py`` (submission worker) defines ``inputs(scenario, rank)`` and ``drive(entry, inputs, group) -> dict[str, Tensor]``.
``oracle.py`` (oracle worker) defines ``reference(scenario) -> dict[str, Tensor]``, optionally ``terms(scenario)`` and functions
marked ``@misconception("id")`` from scenario to a predicted observation of the same names and shapes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

Function = TypeVar("Function", bound=Callable[..., Any])


class Invalid(Exception):
    """Raised by a drive when what the entry gave back isn't what the exercise asks for; the text is shown to the learner."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One situation. In a submission worker only the running rank's shard is there."""

    world_size: int
    microbatches: int
    probe: bool
    shared: Mapping[str, torch.Tensor]
    """Equal on all ranks: the initial parameters."""
    shards: Mapping[int, Mapping[str, torch.Tensor]]
    device: torch.device

    def shard(self, rank: int) -> Mapping[str, torch.Tensor]:
        """A rank's own arrays: ``features.k`` [positions, D] float64, ``targets.k`` [positions] int64 and ``mask.k``
        [positions] int64 (1 valid, 0 padding) for each microbatch ``k``; ``losses.k`` [positions] float64 in a probe."""
        return self.shards[rank]


def misconception(identifier: str) -> Callable[[Function], Function]:
    """Marks a function of ``oracle.py`` as the prediction of a misconception."""

    def mark(function: Function) -> Function:
        function.misconception = identifier  # type: ignore[attr-defined]
        return function

    return mark


def scalar_loss(value: object) -> torch.Tensor:
    """The value as a scalar that can be back-propagated.

    Raises:
        Invalid: it is no tensor, holds more than one number, isn't floating point, or has no graph.
    """
    if type(value) is not torch.Tensor:
        kind = "None (is a return statement missing?)" if value is None else f"a {type(value).__name__}"
        raise Invalid(f"returned {kind}; return a torch.Tensor that holds one number")
    if value.numel() != 1:
        raise Invalid(f"returned a tensor of shape {list(value.shape)}; return a scalar")
    if not value.dtype.is_floating_point:
        raise Invalid(f"returned a tensor of {str(value.dtype).removeprefix('torch.')}; return floating point")
    if not value.requires_grad:
        raise Invalid("returned a tensor without a graph: it was detached, or built anew, so that backward has nothing to do")
    return value.reshape(())
