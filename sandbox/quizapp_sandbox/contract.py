"""What a lab's ``drive.py`` and ``oracle.py`` are written against. The only module of this package that they need to import.

``drive.py`` (submission worker) defines ``inputs(scenario, rank)`` and ``drive(entry, inputs, group) -> dict[str, Tensor]``.
``oracle.py`` (oracle worker) defines ``reference(scenario)``, for gradients also ``terms(scenario) -> Tensor [rows, P]`` (each
position's own gradient, ranks in order, then microbatches; rows of other loss terms after them) and, where ``lab.yaml`` has no
objective, ``wanted(scenario) -> Tensor [windows, positions]``; and functions marked ``@misconception("id")`` from scenario to a
predicted observation. References and predictions are a dict of arrays that all ranks share, or a list with a dict for each rank.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy
import torch

_ARRAYS = (torch.Tensor, numpy.ndarray, numpy.generic)
Function = TypeVar("Function", bound=Callable[..., Any])


class Invalid(Exception):
    """Raised by a drive when what the entry gave back isn't what the exercise asks for; the text is shown to the learner."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One situation. In a submission worker only the running rank's shard is there."""

    world_size: int
    accumulate: int
    """Microbatches per rank and window as configured."""
    windows: tuple[int, ...]
    """Microbatches of each accumulation window; the last may be short."""
    probe: bool
    shared: Mapping[str, torch.Tensor]
    """Equal on all ranks: the initial parameters."""
    shards: Mapping[int, Mapping[str, torch.Tensor]]
    device: torch.device

    def shard(self, rank: int) -> Mapping[str, torch.Tensor]:
        """A rank's own arrays. ``mask.k`` [positions] int64 (1 valid, 0 padding) for each microbatch ``k``, counted over all
        windows, and what ``lab.yaml`` draws: for the standard classifier ``features.k`` [positions, width] float64 and
        ``targets.k`` [positions] int64. In a probe ``losses.k`` [positions] float64 instead."""
        return self.shards[rank]

    @property
    def microbatches(self) -> int:
        """Over all windows."""
        return sum(self.windows)

    def window(self, index: int) -> range:
        """The microbatches of a window."""
        start = sum(self.windows[:index])
        return range(start, start + self.windows[index])


def misconception(identifier: str) -> Callable[[Function], Function]:
    """Marks a function of ``oracle.py`` as the prediction of a misconception."""

    def mark(function: Function) -> Function:
        function.misconception = identifier  # type: ignore[attr-defined]
        return function

    return mark


def returned(value: object, shapes: Mapping[str, Sequence[int]]) -> dict[str, torch.Tensor]:
    """What an entry returned as a dict of numbers, as tensors of the shapes wanted ([] for a single number).

    Raises:
        Invalid: it is no dict, a name is missing or unknown, a value is no number or tensor, or has another shape.
    """
    if not isinstance(value, Mapping):
        raise Invalid(f"returned {_kind(value)}; return a dict with {', '.join(shapes)}")
    unknown = [str(name)[:40] for name in value if name not in shapes]
    if unknown:
        raise Invalid(f"returned a dict with {', '.join(unknown)}; wanted are {', '.join(shapes)}")
    found = {}
    for name, shape in shapes.items():
        if name not in value:
            raise Invalid(f"returned a dict without {name}")
        found[name] = numbers(value[name], name, shape)
    return found


def numbers(value: object, name: str, shape: Sequence[int]) -> torch.Tensor:
    """A number, list or tensor as a tensor of that shape; single numbers may come with any shape of one entry.

    Raises:
        Invalid: it is none of these, is complex, or has another shape.
    """
    if isinstance(value, _ARRAYS) and str(value.dtype).removeprefix("torch.").startswith("complex"):
        raise Invalid(f"{name} is complex; return real numbers")
    try:
        tensor = value if type(value) is torch.Tensor else torch.as_tensor(value, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        raise Invalid(f"{name} is {_kind(value)}; return a number or a tensor") from None
    tensor = tensor.detach().clone()  # as it is now: a program may use its buffer again
    if not len(shape) and tensor.numel() == 1:
        return tensor.reshape(())
    if list(tensor.shape) != list(shape):
        raise Invalid(f"{name} has shape {list(tensor.shape)}; wanted is {list(shape)}")
    return tensor


def truth(value: object) -> bool:
    """A verdict: ``True`` or ``False`` of Python's, numpy's or a tensor's making, alone or as the only entry; 1 and 0 as whole
    numbers say the same.

    Raises:
        Invalid: it is anything else, a floating-point number included.
    """
    plain = value.item() if isinstance(value, _ARRAYS) and math.prod(value.shape) == 1 else value
    if isinstance(plain, bool) or (isinstance(plain, int) and plain in (0, 1)):
        return bool(plain)
    said = f"{_kind(value)} of shape {list(value.shape)}, {value.dtype}" if isinstance(value, _ARRAYS) else _kind(value)
    raise Invalid(f"returned {said}; return True or False")


def _kind(value: object) -> str:
    return "None (is a return statement missing?)" if value is None else f"a {type(value).__name__}"


def scalar_loss(value: object) -> torch.Tensor:
    """The value as a scalar that can be back-propagated.

    Raises:
        Invalid: it is no tensor, holds more than one number, isn't floating point, or has no graph.
    """
    if type(value) is not torch.Tensor:
        raise Invalid(f"returned {_kind(value)}; return a torch.Tensor that holds one number")
    if value.is_meta:
        raise Invalid("returned a tensor on the device meta, which holds no numbers")
    if value.numel() != 1:
        raise Invalid(f"returned a tensor of shape {list(value.shape)}; return a scalar")
    if not value.dtype.is_floating_point:
        raise Invalid(f"returned a tensor of {str(value.dtype).removeprefix('torch.')}; return floating point")
    if not value.requires_grad:
        raise Invalid("returned a tensor without a graph: it was detached, or built anew, so that backward has nothing to do")
    return value.reshape(())
