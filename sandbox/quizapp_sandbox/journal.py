"""Every collective of every rank, recorded in memory that the agent shares, where a hung rank can't take it along.

The recording sits in torch's dispatcher, in front of the ``c10d`` operators, through which all of ``torch.distributed``, DDP's
reducer, FSDP2 and functional collectives go; numbers and order are unchanged. Reading is the agent's part.
"""

import contextlib
import math
import mmap
import os
import re
import struct
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

RUNNING, PARKED = 1, 2
"""States: in the learner's code or on the way to it; waiting for the next scenario."""
_HEAD = struct.Struct("<III")
_ENTRY = struct.Struct("<HH124s")
_TEXT = 124
CAPACITY = 512
_SLOT = _HEAD.size + CAPACITY * _ENTRY.size

_READABLE = {
    "allreduce_": "all_reduce",
    "allreduce_coalesced_": "all_reduce_coalesced",
    "allgather_": "all_gather",
    "_allgather_base_": "all_gather_into_tensor",
    "allgather_coalesced_": "all_gather_coalesced",
    "allgather_into_tensor_coalesced_": "all_gather_into_tensor_coalesced",
    "reduce_scatter_": "reduce_scatter",
    "_reduce_scatter_base_": "reduce_scatter_tensor",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter_tensor_coalesced",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all_single",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "gather_": "gather",
    "scatter_": "scatter",
    "barrier": "barrier",
    "monitored_barrier_": "monitored_barrier",
    "send": "send",
    "recv_": "recv",
    "recv_any_source_": "recv",
    "all_gather_into_tensor": "all_gather_into_tensor",
    "all_gather_into_tensor_coalesced": "all_gather_into_tensor_coalesced",
    "all_reduce": "all_reduce",
    "all_reduce_": "all_reduce",
    "all_reduce_coalesced": "all_reduce_coalesced",
    "reduce_scatter_tensor": "reduce_scatter_tensor",
    "all_to_all_single": "all_to_all_single",
    "broadcast": "broadcast",
}
_UNEQUAL = frozenset({"gather", "scatter", "all_to_all", "all_to_all_single", "reduce", "barrier", "monitored_barrier"})
"""Kinds whose tensors may rightly differ between ranks."""
_ROOTS = {"broadcast_": (2, "from"), "reduce_": (3, "to"), "gather_": (3, "to"), "scatter_": (3, "from")}
"""Operator -> which of its arguments is the root, and how that is said."""


@dataclass(frozen=True, slots=True)
class Collective:
    """One recorded call. ``whole`` says that all ranks take part (it isn't point-to-point, nor in a subgroup)."""

    kind: str
    tensors: str
    """Shapes and dtype, ``[36] float64``."""
    whole: bool
    origin: str = ""
    """``in backward`` for what DDP's reducer issues, ``at line 7`` for what the learner's file calls."""
    manner: str = ""
    """What else all ranks must agree on: ``from rank 0`` for a broadcast or scatter, ``to rank 0`` for a reduce or gather, the
    reduction where it isn't a sum (``max``)."""
    step: int = 0
    """Optimizer steps that the rank had taken before."""

    def pairs_with(self, other: "Collective") -> bool:
        """Whether two ranks may issue these as their collectives of the same order number."""
        if self.kind != other.kind or self.manner != other.manner:
            return False
        alike = self.kind in _UNEQUAL or self.tensors == other.tensors
        return alike or _elements(self.tensors) == _elements(other.tensors)

    def __str__(self) -> str:
        what = ", ".join(filter(None, (self.tensors, self.manner)))
        call = f"{self.kind}({what})" if what else self.kind
        return f"{call} {self.origin}" if self.origin else call


def _elements(tensors: str) -> str:
    """The same with the number of elements for each shape: transports move elements and know no shapes, so that a count of shape
    [1] and one of shape [] always add up."""
    return re.sub(r"\[([0-9, ]*)\]", lambda shape: str(math.prod(map(int, shape[1].replace(",", " ").split()))), tensors)


class Journal:
    """One slot for each rank, in shared memory: anonymous, made before the ranks are forked, or that of an open file."""

    def __init__(self, world_size: int, descriptor: int = -1) -> None:
        self.world_size = world_size
        self.descriptor = descriptor
        self._memory = mmap.mmap(descriptor, _SLOT * world_size)

    @classmethod
    def in_file(cls, world_size: int) -> "Journal":
        """A journal in a nameless file, whose descriptor other processes can be given."""
        with tempfile.TemporaryFile() as file:
            file.truncate(_SLOT * world_size)
            return cls(world_size, os.dup(file.fileno()))

    def __del__(self) -> None:
        if self.descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self.descriptor)

    def set_state(self, rank: int, state: int) -> None:
        self._memory[_SLOT * rank : _SLOT * rank + 4] = struct.pack("<I", state)

    def begin(self, rank: int) -> None:
        _HEAD.pack_into(self._memory, _SLOT * rank, RUNNING, 0, 0)

    def append(self, rank: int, call: Collective) -> None:
        base = _SLOT * rank
        state, issued, whole = _HEAD.unpack_from(self._memory, base)
        text = "|".join((call.kind, call.manner, call.origin, call.tensors)).encode()[:_TEXT]
        at = base + _HEAD.size + issued % CAPACITY * _ENTRY.size
        _ENTRY.pack_into(self._memory, at, len(text) | call.whole << 15, min(call.step, 0xFFFF), text)
        _HEAD.pack_into(self._memory, base, state, issued + 1, whole + call.whole)

    def state(self, rank: int) -> int:
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[0])

    def issued(self, rank: int) -> int:
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[1])

    def issued_by_all(self, rank: int) -> int:
        """How many of a rank's calls were such as all ranks take part in."""
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[2])

    def calls(self, rank: int) -> list[tuple[int, Collective]]:
        """The last ``CAPACITY`` calls of a rank, each with its 1-based order number. Tolerates whatever a rank wrote there."""
        issued = self.issued(rank)
        calls = []
        for index in range(max(0, issued - CAPACITY), issued):
            at = _SLOT * rank + _HEAD.size + index % CAPACITY * _ENTRY.size
            length, step, text = _ENTRY.unpack_from(self._memory, at)
            parts = text[: min(length & 0x7FFF, _TEXT)].decode(errors="replace").split("|", 3)
            kind, manner, origin, tensors = (*parts, "", "", "")[:4]
            calls.append((index + 1, Collective(kind, tensors, bool(length >> 15), origin, manner, step)))
        return calls

    def calls_of_all(self, rank: int) -> dict[int, Collective]:
        """Of those, the ones that all ranks take part in, by their order number among such calls."""
        kept = [call for _, call in self.calls(rank) if call.whole]
        first = self.issued_by_all(rank) - len(kept) + 1
        return dict(enumerate(kept, first))


@dataclass(slots=True)
class _Recording:
    journal: Journal | None = None
    rank: int = 0
    filename: str = ""
    step: int = 0


_recording = _Recording()
_library: list[torch.library.Library] = []


def record(journal: Journal, rank: int) -> None:
    """Makes this process, a rank, write into ``journal`` from now on."""
    _recording.journal, _recording.rank = journal, rank


def begin() -> None:
    """A scenario begins."""
    _recording.step = 0
    if _recording.journal is not None:
        _recording.journal.begin(_recording.rank)


def next_step() -> None:
    """This rank has taken an optimizer step: collectives from now on belong to the next one."""
    _recording.step += 1


def name_file(filename: str) -> None:
    """The learner's file, by which the lines of calls are told."""
    _recording.filename = filename


def _origin() -> str:
    frame = sys._getframe(2)
    if frame.f_code.co_name == "_engine_run_backward":
        return "in backward"
    for _ in range(24):
        if frame.f_code.co_filename == _recording.filename:
            return f"at line {frame.f_lineno}"
        if frame.f_back is None:
            break
        frame = frame.f_back
    return ""


def _tensors(values: Any) -> list[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, list | tuple):
        return [tensor for value in values for tensor in _tensors(value)]
    return []


def _describe(arguments: tuple[Any, ...]) -> str:
    tensors = _tensors(arguments[:2]) or _tensors(arguments)
    if not tensors:
        return ""
    shapes = " ".join(str(list(tensor.shape)) for tensor in tensors[:3]) + (" ..." if len(tensors) > 3 else "")
    return f"{shapes} {str(tensors[0].dtype).removeprefix('torch.')}"


def _reduction(arguments: tuple[Any, ...]) -> str:
    """The reduction of a call, where it isn't a sum.

    The dispatcher hands it on as an opaque object; torch's Python function that made the call still has it in its options.
    """
    said = [argument for argument in arguments[:2] if isinstance(argument, str)]  # functional collectives name it
    options = sys._getframe(3).f_locals.get("opts")
    operation = said[0] if said else getattr(getattr(options, "reduceOp", None), "op", None)
    name = str(operation).rpartition(".")[2].lower()
    return "" if name in ("none", "sum") else name


def _manner(name: str, arguments: tuple[Any, ...]) -> str:
    reduction = _reduction(arguments) if "reduce" in name else ""
    if name not in _ROOTS:
        return reduction
    position, preposition = _ROOTS[name]
    root = f"{preposition} rank {arguments[position]}" if position < len(arguments) else ""
    return " ".join(filter(None, (root, reduction)))


def _is_whole(arguments: tuple[Any, ...]) -> bool:
    distributed: Any = torch.distributed.distributed_c10d
    for argument in arguments:
        if isinstance(argument, str):  # functional collectives name their group
            return bool(distributed._resolve_process_group(argument).size() == torch.distributed.get_world_size())
        if isinstance(argument, torch.ScriptObject) and "ProcessGroup" in str(argument._type()):
            group = torch.distributed.ProcessGroup.unbox(argument)
            return bool(group.size() == torch.distributed.get_world_size())
    return True


def _recorder(name: str, operator: Callable[..., Any]) -> Callable[..., Any]:
    kind = _READABLE[name]

    def call(*arguments: Any, **options: Any) -> Any:
        journal = _recording.journal
        if journal is not None:
            try:
                whole = kind not in ("send", "recv") and _is_whole((*arguments, *options.values()))
            except Exception:
                whole = True
            tensors = "" if "barrier" in kind else _describe(arguments)
            journal.append(_recording.rank, Collective(kind, tensors, whole, _origin(), _manner(name, arguments), _recording.step))
        with torch._C._AutoDispatchBelowAutograd():
            return operator(*arguments, **options)

    return call


def install() -> None:
    """Puts the recorder in front of the collectives. Call once in the agent, before ranks are forked."""
    present = set(torch._C._dispatch_get_all_op_names())
    for namespace in ("c10d", "_c10d_functional"):
        library: Any = torch.library.Library(namespace, "IMPL")  # type: ignore[no-untyped-call]
        _library.append(library)
        for name in _READABLE:
            if f"{namespace}::{name}" in present:
                operator = getattr(getattr(torch.ops, namespace), name).default
                for key in ("AutogradCPU", "AutogradCUDA"):
                    library.impl(name, _recorder(name, operator), key)
