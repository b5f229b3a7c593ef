"""How a rank's calls get into the journal: in front of torch's own functions, whose numbers and order are unchanged.

Calls are recorded in torch's dispatcher, before the ``c10d`` operators, through which all of ``torch.distributed``, DDP's reducer,
FSDP2 and functional collectives go; waits where Python waits for them. Reading is the agent's part.
"""

import functools
import sys
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from quizapp_sandbox.journal import ANYBODY, Collective, Journal, Meeting, Need

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
_ROOTS = {"broadcast_": (2, "from"), "reduce_": (3, "to"), "gather_": (3, "to"), "scatter_": (3, "from")}
"""Operator -> which of its arguments is the root, and how that is said."""
LOOK_EVERY = 0.01
"""Seconds between looks for a key, as in torch's own stores of files."""
_MESSAGES = frozenset(("send", "recv_", "recv_any_source_"))
_NEED_ALL = frozenset(
    {
        "all_reduce", "all_reduce_coalesced", "all_gather", "all_gather_coalesced", "all_gather_into_tensor",
        "all_gather_into_tensor_coalesced", "reduce_scatter", "reduce_scatter_tensor", "reduce_scatter_tensor_coalesced", "barrier",
    }
)  # fmt: skip
"""Kinds whose result on each rank depends on every other one, so that none is done before all have come."""


@dataclass(slots=True)
class _Recording:
    journal: Journal | None = None
    rank: int = 0
    device: str = "cpu"
    filename: str = ""
    step: int = 0
    counts: dict[tuple[object, ...], int] = field(default_factory=dict)
    """How many calls there were with each key; see ``Meeting.number``."""
    numbers: weakref.WeakKeyDictionary[Any, int] = field(default_factory=weakref.WeakKeyDictionary)
    """Order numbers of the works that Python holds."""
    latest: Any = None
    """The last call's work, which lives until torch has handed it to the caller as this very object."""
    open: set[int] = field(default_factory=set)
    """Order numbers of messages that nobody has waited for."""
    unsettled: int = 0


_recording = _Recording()
_library: list[torch.library.Library] = []


def record(journal: Journal, rank: int, device: str = "cpu") -> None:
    """Makes this process, a rank, write into ``journal`` from now on. ``device``: the type of the one that it computes on."""
    _recording.journal, _recording.rank, _recording.device = journal, rank, device


def begin() -> None:
    """A scenario begins."""
    _recording.unsettled += len(_recording.open)
    _recording.step = 0
    _recording.counts.clear()
    _recording.numbers.clear()
    _recording.open.clear()
    _recording.latest = None
    if _recording.journal is not None:
        _recording.journal.begin(_recording.rank, min(_recording.unsettled, 1 << 30))


def next_step() -> None:
    """This rank has taken an optimizer step: collectives from now on belong to the next one."""
    _recording.step += 1


def name_file(filename: str) -> None:
    """The learner's file, by which the lines of calls are told."""
    _recording.filename = filename


def _origin(caller: FrameType | None) -> str:
    if caller is not None and caller.f_code.co_name == "_engine_run_backward":
        return "in backward"
    frame = caller
    for _ in range(24):
        if frame is None:
            break
        if frame.f_code.co_filename == _recording.filename:
            return f"at line {frame.f_lineno}"
        frame = frame.f_back
    return ""


def _tensors(values: Any) -> list[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, list | tuple):
        return [tensor for value in values for tensor in _tensors(value)]
    return []


def _describe(tensors: Sequence[torch.Tensor]) -> str:
    if not tensors:
        return ""
    shapes = " ".join(str(list(tensor.shape)) for tensor in tensors[:3]) + (" ..." if len(tensors) > 3 else "")
    return f"{shapes} {str(tensors[0].dtype).removeprefix('torch.')}"


def _reduction(arguments: tuple[Any, ...], caller: FrameType | None) -> str:
    """The reduction of a call, where it isn't a sum.

    The dispatcher hands it on as an opaque object; torch's Python function that made the call still has it in its options.
    """
    said = [argument for argument in arguments[:2] if isinstance(argument, str)]  # functional collectives name it
    options = None if caller is None else caller.f_locals.get("opts")
    operation = said[0] if said else getattr(getattr(options, "reduceOp", None), "op", None)
    name = str(operation).rpartition(".")[2].lower()
    return "" if name in ("none", "sum") else name


def _group_in(arguments: Sequence[Any]) -> Any:
    """The process group among a call's arguments; the whole one where none is seen."""
    distributed: Any = torch.distributed.distributed_c10d
    for argument in arguments:
        if isinstance(argument, str):  # functional collectives name their group, and their reduction
            try:
                return distributed._resolve_process_group(argument)
            except (ValueError, RuntimeError, KeyError):
                continue
        if isinstance(argument, torch.ScriptObject) and "ProcessGroup" in str(argument._type()):
            return torch.distributed.ProcessGroup.unbox(argument)
    return distributed._get_default_group()


def _members(group: Any) -> list[int]:
    """The ranks of the whole that belong to a group, by their rank in it."""
    return torch.distributed.get_process_group_ranks(group)


def _count(*key: object) -> int:
    _recording.counts[key] = number = _recording.counts.get(key, 0) + 1
    return number


def _mask(members: Sequence[int]) -> int:
    return sum(1 << rank for rank in members) if all(0 <= rank < 64 for rank in members) else 0


def _message(name: str, arguments: tuple[Any, ...], key: int, members: Sequence[int], filled: bool) -> tuple[str, Meeting]:
    """How a message is said, and which it is."""
    need = Need.SEND if name == "send" else Need.RECEIVE
    peer, tag = ANYBODY if name == "recv_any_source_" else members[arguments[2]], int(arguments[-1])
    who = "any rank" if peer == ANYBODY else f"rank {peer}"
    said = f"{'to' if name == 'send' else 'from'} {who}" + (f", tag {tag}" if tag else "")
    return said, Meeting(need, key, _mask(members), _count(need, key, peer, tag), peer, tag, filled)


def _call(name: str, arguments: tuple[Any, ...], group: Any, caller: FrameType | None) -> Collective:
    kind, members = _READABLE[name], _members(group)
    tensors = [] if "barrier" in kind else _tensors(arguments[:2]) or _tensors(arguments)
    device = tensors[0].device.type if tensors else _recording.device
    key = zlib.crc32(f"{group.group_name} {device}".encode())
    filled = all(tensor.numel() for tensor in tensors)
    if name in _MESSAGES:
        manner, meeting = _message(name, arguments, key, members, filled)
    else:
        manner = _reduction(arguments, caller) if "reduce" in name else ""
        need, root = (Need.ALL if kind in _NEED_ALL else Need.NOBODY), 0
        if name in _ROOTS:
            position, preposition = _ROOTS[name]
            root = members[arguments[position]]
            manner = " ".join(filter(None, (f"{preposition} rank {root}", manner)))
            is_root = root == _recording.rank
            need = (Need.NOBODY if is_root else Need.PEER) if preposition == "from" else (Need.ALL if is_root else Need.NOBODY)
        meeting = Meeting(need, key, _mask(members), _count(key), root, 0, filled)
    whole = name not in _MESSAGES and len(members) == torch.distributed.get_world_size()
    if not whole and name not in _MESSAGES:
        manner = ", ".join(filter(None, (manner, f"among ranks {', '.join(map(str, members))}")))
    return Collective(kind, _describe(tensors), whole, _origin(caller), manner, _recording.step, meeting)


def _remember(result: Any, number: int, message: bool) -> None:
    """Which work belongs to a call. The object that Python gets for it is the same as long as one is alive."""
    work = result[-1] if isinstance(result, tuple) and result else result
    if isinstance(work, torch.ScriptObject):
        _recording.latest = held = torch.distributed.distributed_c10d.Work.unbox(work)
        _recording.numbers[held] = number
        if message:
            _recording.open.add(number)


def _recorder(name: str, operator: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        journal, number = _recording.journal, 0
        if journal is not None:
            try:
                group = _group_in((*arguments, *options.values()))
                made = _call(name, arguments, group, sys._getframe(1))
            except Exception:
                whole = name not in _MESSAGES
                made = Collective(_READABLE[name], _describe(_tensors(arguments)), whole, _origin(sys._getframe(1)))
            number = journal.append(_recording.rank, made)
        with torch._C._AutoDispatchBelowAutograd():
            result = operator(*arguments, **options)
        if number:
            try:
                _remember(result, number, name in _MESSAGES)
            except Exception:
                _recording.latest = None
        return result

    return call


def _nothing_else_runs() -> bool:
    """Whether a rank that waits does nothing else: it has no other thread that could."""
    return threading.get_ident() == threading.main_thread().ident and len(sys._current_frames()) == 1


def _record_waits() -> None:
    kind: Any = torch.distributed.distributed_c10d.Work
    original = kind.wait

    def wait(self: Any, *arguments: Any, **options: Any) -> Any:
        journal, number = _recording.journal, _recording.numbers.get(self, 0)
        if journal is None or not number:
            return original(self, *arguments, **options)
        for_ever = not arguments and not options and _nothing_else_runs()
        if for_ever:
            journal.wait_for(_recording.rank, number)
        try:
            result = original(self, *arguments, **options)
            journal.finish(_recording.rank, number)
        finally:
            _recording.open.discard(number)
            if for_ever:
                journal.wait_for(_recording.rank, 0)
        return result

    wait.__doc__ = original.__doc__
    kind.wait = wait


def _record_waits_for_keys() -> None:
    """What a rank waits for in a store is no other rank's call. It looks for it itself, so that the agent sees it look in vain."""
    distributed: Any = torch.distributed.distributed_c10d

    def recorded(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def wait(self: Any, *arguments: Any, **options: Any) -> Any:
            journal = _recording.journal
            if journal is None or options or len(arguments) != 1 or not _nothing_else_runs():
                return original(self, *arguments, **options)
            keys = [arguments[0]] if isinstance(arguments[0], str) else list(arguments[0])
            if not all(isinstance(key, str) for key in keys) or self.check(keys):
                return original(self, *arguments)
            me, said, origin = _recording.rank, repr(keys)[1:-1].replace("|", " ")[:60], _origin(sys._getframe(1))
            made = Collective(f"store.{name}", "", False, origin, said, _recording.step, Meeting(Need.KEY, 0, 0, 0))
            journal.wait_for(me, journal.append(me, made))
            try:
                while not self.check(keys):
                    journal.look(me)
                    time.sleep(LOOK_EVERY)
            finally:
                journal.wait_for(me, 0)
            return original(self, *arguments)

        return wait

    for name in ("wait", "get", "multi_get"):
        if (original := getattr(distributed.Store, name, None)) is not None:
            setattr(distributed.Store, name, recorded(name, original))


def _record_new_groups() -> None:
    """Forming a group waits for its other members, without any operator."""
    distributed: Any = torch.distributed.distributed_c10d
    original = distributed._new_group_with_tag

    @functools.wraps(original)
    def formed(ranks: Any = None, *arguments: Any, **options: Any) -> Any:
        journal, number = _recording.journal, 0
        if journal is not None:
            try:
                world, me = torch.distributed.get_world_size(), _recording.rank
                members = sorted(ranks) if ranks is not None else list(range(world))
                key = zlib.crc32(f"new_group {members}".encode())
                need = Need.ALL if me in members else Need.NOBODY
                meeting = Meeting(need, key, _mask(members), _count(key))
                origin, whole = _origin(sys._getframe(1)), len(members) == world
                number = journal.append(me, Collective("new_group", "", whole, origin, str(members), _recording.step, meeting))
            except Exception:
                number = 0
        if not number or journal is None or not _nothing_else_runs():
            return original(ranks, *arguments, **options)
        journal.wait_for(_recording.rank, number)
        try:
            return original(ranks, *arguments, **options)
        finally:
            journal.wait_for(_recording.rank, 0)

    distributed._new_group_with_tag = formed


def _keep_the_whole_group() -> None:
    """A learner's code may end groups of its own making; without the whole one nothing further can be run."""
    distributed: Any = torch.distributed.distributed_c10d
    original = distributed.destroy_process_group

    @functools.wraps(original)
    def destroy_process_group(group: Any = None) -> None:
        if _recording.journal is not None and (group is None or group is torch.distributed.group.WORLD):
            raise RuntimeError("destroy_process_group ends the group that the exercise runs in; leave it out")
        original(group)

    distributed.destroy_process_group = torch.distributed.destroy_process_group = destroy_process_group


def install() -> None:
    """Puts the recorder in front of torch's functions. Call once in the agent, before ranks are forked."""
    present = set(torch._C._dispatch_get_all_op_names())
    for namespace in ("c10d", "_c10d_functional"):
        library: Any = torch.library.Library(namespace, "IMPL")  # type: ignore[no-untyped-call]
        _library.append(library)
        for name in _READABLE:
            if f"{namespace}::{name}" in present:
                operator = getattr(getattr(torch.ops, namespace), name).default
                for key in ("AutogradCPU", "AutogradCUDA"):
                    library.impl(name, _recorder(name, operator), key)
    _record_waits()
    _record_waits_for_keys()
    _record_new_groups()
    _keep_the_whole_group()
