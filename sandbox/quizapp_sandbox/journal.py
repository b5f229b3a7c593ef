"""What every rank has called of every other one, in memory that the agent shares, where a hung rank can't take it along.

Writing is the ranks' part (``recorder``), deciding what it means the agent's (``matching``, ``supervise``). No torch here.
"""

import contextlib
import math
import mmap
import os
import re
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

RUNNING, PARKED = 1, 2
"""States: in the learner's code or on the way to it; waiting for the next scenario."""
_HEAD = struct.Struct("<IIIIII")
_COUNTS = struct.Struct("<III")
_WAITS_AT, _LOOKS_AT = 12, 20
_ENTRY = struct.Struct("<BBHHIIiqQ122s")
_FLAGS_AT, _TEXT = 1, 122
_WHOLE, _SURE, _DONE = 1, 2, 4
CAPACITY = 512
_SLOT = _HEAD.size + CAPACITY * _ENTRY.size

_UNEQUAL = frozenset({"gather", "scatter", "all_to_all", "all_to_all_single", "reduce", "barrier", "monitored_barrier"})
"""Kinds whose tensors may rightly differ between ranks."""
ANYBODY = -1
"""As a peer: the message may come from any rank."""


class Need(IntEnum):
    """Whose calls a call can't complete without."""

    UNKNOWN = 0
    NOBODY = 1
    """Of a collective that may be done, on this rank, before the others come."""
    ALL = 2
    PEER = 3
    """The root's; of a root, everybody's (``ALL``)."""
    SEND = 4
    """A receive of the peer's."""
    RECEIVE = 5
    """A send of the peer's."""
    KEY = 6
    """Nobody's: a key that some rank has to write into a store."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """With which calls of other ranks a call meets."""

    need: Need
    group: int
    """A checksum of the group's name, and of the kind of device."""
    members: int
    """A bit for each rank of the whole that belongs to the group."""
    number: int
    """1-based, among the rank's collectives in the group; of a message, among those to, or from, this peer with this tag."""
    peer: int = 0
    """A rank of the whole, or ``ANYBODY``."""
    tag: int = 0
    sure: bool = True
    """``False`` where the transport may have nothing to do: empty tensors."""


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
    reduction where it isn't a sum (``max``). Of a message, whom it comes from or goes to, and its tag where that isn't 0."""
    step: int = 0
    """Optimizer steps that the rank had taken before."""
    meeting: Meeting | None = None

    def pairs_with(self, other: "Collective") -> bool:
        """Whether two ranks may issue these as their collectives of the same order number."""
        if self.kind != other.kind or self.manner != other.manner:
            return False
        alike = self.kind in _UNEQUAL or self.tensors == other.tensors
        return alike or _elements(self.tensors) == _elements(other.tensors)

    @property
    def elements(self) -> str:
        """The number of elements of each tensor, whatever their dtype."""
        return _elements(self.tensors).rpartition(" ")[0]

    def __str__(self) -> str:
        what = ", ".join(filter(None, (self.tensors, self.manner)))
        call = f"{self.kind}({what})" if what else self.kind
        return f"{call} {self.origin}" if self.origin else call


def _elements(tensors: str) -> str:
    """The same with the number of elements for each shape: transports move elements and know no shapes, so that a count of shape
    [1] and one of shape [] always add up."""
    return re.sub(r"\[([0-9, ]*)\]", lambda shape: str(math.prod(map(int, shape[1].replace(",", " ").split()))), tensors)


def _need(value: int) -> Need:
    return Need(value) if value in Need._value2member_map_ else Need.UNKNOWN


class Journal:
    """One slot for each rank, in shared memory: anonymous, made before the ranks are forked, or that of an open file.

    Whatever is read tolerates whatever a rank wrote there.
    """

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
        struct.pack_into("<I", self._memory, _SLOT * rank, state)

    def begin(self, rank: int, unsettled: int = 0) -> None:
        """A scenario begins. ``unsettled``: messages of earlier ones that the rank never waited for."""
        _HEAD.pack_into(self._memory, _SLOT * rank, RUNNING, 0, 0, 0, unsettled, 0)

    def append(self, rank: int, call: Collective) -> int:
        """Records a call. Returns its order number."""
        base = _SLOT * rank
        state, issued, whole = _COUNTS.unpack_from(self._memory, base)
        text = "|".join((call.kind, call.manner, call.origin, call.tensors)).encode()[:_TEXT]
        met = call.meeting or Meeting(Need.UNKNOWN, 0, 0, 0, sure=False)
        flags = _WHOLE * call.whole | _SURE * met.sure
        number, tag = met.number & 0xFFFFFFFF, met.tag if abs(met.tag) < 1 << 62 else 0
        at = base + _HEAD.size + issued % CAPACITY * _ENTRY.size
        fields = (met.need, flags, len(text), min(call.step, 0xFFFF), number, met.group, met.peer, tag, met.members, text)
        _ENTRY.pack_into(self._memory, at, *fields)
        _COUNTS.pack_into(self._memory, base, state, issued + 1, whole + call.whole)
        return int(issued) + 1

    def wait_for(self, rank: int, number: int) -> None:
        """The rank does nothing until its call of that order number is done; 0 for none."""
        struct.pack_into("<I", self._memory, _SLOT * rank + _WAITS_AT, number)

    def look(self, rank: int) -> None:
        """The rank has looked in vain for the keys that it waits for."""
        struct.pack_into("<I", self._memory, _SLOT * rank + _LOOKS_AT, (self.looks(rank) + 1) & 0xFFFFFFFF)

    def finish(self, rank: int, number: int) -> None:
        """A call is done, as far as the rank has waited for it."""
        if self.issued(rank) - number < CAPACITY:
            at = _SLOT * rank + _HEAD.size + (number - 1) % CAPACITY * _ENTRY.size + _FLAGS_AT
            self._memory[at] |= _DONE

    def state(self, rank: int) -> int:
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[0])

    def issued(self, rank: int) -> int:
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[1])

    def issued_by_all(self, rank: int) -> int:
        """How many of a rank's calls were such as all ranks take part in."""
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[2])

    def waits_for(self, rank: int) -> int:
        """The order number of the call that a rank waits for; 0 where it is not known to wait."""
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[3])

    def unsettled(self, rank: int) -> int:
        """How many messages of earlier scenarios the rank never waited for."""
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[4])

    def looks(self, rank: int) -> int:
        """How often the rank has looked for keys in vain."""
        return int(_HEAD.unpack_from(self._memory, _SLOT * rank)[5])

    def _kept(self, rank: int, issued: int) -> Iterator[tuple[int, int]]:
        """Order number and place of those calls that are still there when so many have been issued."""
        for index in range(max(0, issued - CAPACITY), issued):
            yield index + 1, _SLOT * rank + _HEAD.size + index % CAPACITY * _ENTRY.size

    def _call_at(self, at: int) -> Collective:
        need, flags, length, step, number, group, peer, tag, members, text = _ENTRY.unpack_from(self._memory, at)
        parts = text[: min(length, _TEXT)].decode(errors="replace").split("|", 3)
        kind, manner, origin, tensors = (*parts, "", "", "")[:4]
        meeting = Meeting(_need(need), group, members, number, peer, tag, bool(flags & _SURE)) if _need(need) else None
        return Collective(kind, tensors, bool(flags & _WHOLE), origin, manner, step, meeting)

    def calls(self, rank: int) -> list[tuple[int, Collective]]:
        """The last ``CAPACITY`` calls of a rank, each with its 1-based order number."""
        return [(number, self._call_at(at)) for number, at in self._kept(rank, self.issued(rank))]

    def call(self, rank: int, number: int) -> Collective | None:
        """The call of that order number, where it is still there."""
        issued = self.issued(rank)
        if not max(0, issued - CAPACITY) < number <= issued:
            return None
        return self._call_at(_SLOT * rank + _HEAD.size + (number - 1) % CAPACITY * _ENTRY.size)

    def meetings(self, rank: int) -> list[tuple[Meeting, bool]]:
        """Of the last ``CAPACITY`` calls, with whom they meet and whether they are known to be done."""
        found = []
        for _, at in self._kept(rank, self.issued(rank)):
            need, flags, _, _, number, group, peer, tag, members, _ = _ENTRY.unpack_from(self._memory, at)
            found.append((Meeting(_need(need), group, members, number, peer, tag, bool(flags & _SURE)), bool(flags & _DONE)))
        return found

    def calls_of_all(self, rank: int) -> dict[int, Collective]:
        """Of the calls, the ones that all ranks take part in, by their order number among such calls."""
        _, issued, whole = _COUNTS.unpack_from(self._memory, _SLOT * rank)
        kept = [call for call in (self._call_at(at) for _, at in self._kept(rank, issued)) if call.whole]
        return dict(enumerate(kept, whole - len(kept) + 1))
