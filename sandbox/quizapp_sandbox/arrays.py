"""Tensors to frames' arrays and back."""

import sys
from collections.abc import Mapping

import torch

from quizapp_sandbox.wire import Array

_DTYPES = {"float32": torch.float32, "float64": torch.float64, "int64": torch.int64}

if sys.byteorder != "little":
    raise ImportError("frames are little-endian; this machine is not")


def to_array(tensor: torch.Tensor) -> Array:
    """A CPU tensor of a dtype that travels."""
    return Array(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), tensor.detach().contiguous().numpy().tobytes())


def to_tensor(array: Array, device: torch.device) -> torch.Tensor:
    """A new tensor that shares no memory with the frame."""
    dtype = _DTYPES[array.dtype]
    flat = torch.frombuffer(bytearray(array.data), dtype=dtype) if array.data else torch.empty(0, dtype=dtype)
    return flat.reshape(array.shape).to(device)


def named(arrays: Mapping[str, Array], prefix: str, device: torch.device) -> dict[str, torch.Tensor]:
    """The arrays whose names start with ``prefix``, without it, as tensors."""
    return {name.removeprefix(prefix): to_tensor(array, device) for name, array in arrays.items() if name.startswith(prefix)}
