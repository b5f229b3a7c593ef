"""Who is stuck, and why: read from the journal and from the kernel, never from what a rank says.

Pure reading: deciding what becomes of the ranks is the agent's part.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from quizapp_sandbox import matching
from quizapp_sandbox.journal import Collective, Journal

GRACE = 0.03
"""Seconds for which every unfinished rank must be motionless before the ranks are said to wait for each other."""
LONG_GRACE = 0.1
"""The same where no collective of all ranks is at fault, and only their stacks tell that they wait inside of calls."""
BUSY_GRACE = 2.0
"""The same on a machine without a free core, where the transport itself may be what waits."""
PARTED_GRACE = 1.0
"""Seconds for which ranks that have parted ways may still compute, or poll, so that one can tell what it meets."""
LOOK_EVERY = 0.25
"""Seconds between looks at all calls of ranks that move."""
FREE_SHARE = 0.25
"""Of one core's time; less idle time than this means that there is none."""
LANE = 8
"""Collectives told of each rank that took part in a failure."""
TRANSPORT = b"(gloo_tcp_loop"
"""How the kernel names a thread of gloo that looks for data a hundred times a second. On a busy machine it is often seen ready to
run; each group that a learner's code forms has one, beside those that are there from the start."""
SEES_THREADS = os.path.isdir("/proc/self/task")
"""Whether the kernel tells what threads do. Elsewhere (macOS) the journal and the ranks' stacks must do, which takes longer."""


def _activity(pid: int, service: frozenset[str]) -> tuple[bool, int]:
    """Whether a process's threads sleep, and the CPU ticks they have used, those of its transport left out.
    Where the kernel doesn't tell, it seems asleep."""
    asleep, used = True, 0
    if not SEES_THREADS:
        return asleep, used
    try:
        for thread in set(os.listdir(f"/proc/{pid}/task")) - service:
            with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
                head, _, tail = file.read().rpartition(b")")
            if head.endswith(TRANSPORT):
                continue
            fields = tail.split()
            asleep &= fields[0] in (b"S", b"D", b"I")
            used += int(fields[11]) + int(fields[12])
    except (OSError, IndexError, ValueError):
        return False, used
    return asleep, used


def _idle_seconds() -> float | None:
    """Seconds that the machine's cores have had nothing to do, all together; ``None`` where nothing tells."""
    try:
        with open("/proc/stat", "rb") as file:
            fields = file.readline().split()
        return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return None


@dataclass(slots=True)
class Watch:
    """Tells a motionless set of ranks from one that works. Poll every few milliseconds."""

    journal: Journal
    pids: Sequence[int]
    service: Sequence[frozenset[str]] = ()
    """Threads to leave out, by rank."""
    still: float = 0.0
    """Seconds for which no unfinished rank has computed or issued a collective, as of the last look."""
    _since: float = 0.0
    _last: tuple[tuple[int, int], ...] = ()
    _judged: tuple[object, int] = (None, 0)
    """What the last judgement was made on; nothing new comes of judging it again."""
    _matched: tuple[object, frozenset[int] | None] = (None, None)
    """What the journal said when it was last asked whether anybody may move, and the answer."""
    _looks: Mapping[int, int] = field(default_factory=dict)
    """How often each rank that waits for a key had looked for it by then."""
    _parted: tuple[object, float] = (None, 0.0)
    """By what the ranks were seen to have parted ways at the last look, and when that was first seen."""
    _looked_at: float = 0.0
    _base: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The motionless time that is looked at, when it was first looked at, and the machine's idle time by then."""

    def look(self, unfinished: Sequence[int], now: float) -> None:
        """Brings ``still`` up to date."""
        state, asleep = [], True
        for rank in unfinished:
            sleeping, used = _activity(self.pids[rank], self.service[rank] if self.service else frozenset())
            asleep &= sleeping
            state.append((used, self.journal.issued(rank)))
        if not asleep or tuple(state) != self._last:
            self._since, self._last = now, tuple(state)
        self.still = now - self._since

    def stuck(self, unfinished: Sequence[int], finished: Sequence[int], now: float) -> bool:
        """True once every unfinished rank has been motionless for ``GRACE`` seconds, and one of them stands in a collective that
        can't complete: a rank that has finished never joined it, or all ranks have called what doesn't pair up. Never where the
        kernel doesn't tell whether they move."""
        self.look(unfinished, now)
        if not SEES_THREADS or self.still < GRACE or self._judged == (self._last, len(finished)):
            return False
        self._judged = (self._last, len(finished))
        if self._is_missed(unfinished, finished):
            return True
        mismatch = first_mismatch(self.journal)
        if mismatch is None or any(call is None for call in mismatch.calls):
            return False
        # A rank that moved on while its journal was read may have written over the oldest calls in it.
        self.look(unfinished, time.monotonic())
        return self.still >= GRACE

    def _is_missed(self, unfinished: Sequence[int], finished: Sequence[int]) -> bool:
        """Whether a rank has called a collective that one which has finished never will."""
        whole = {rank: self.journal.issued_by_all(rank) for rank in (*unfinished, *finished)}
        return any(whole[waiting] > whole[done] for waiting in unfinished for done in finished)

    def parted(self, unfinished: Sequence[int], finished: Sequence[int], now: float) -> bool:
        """True once it has been certain for ``PARTED_GRACE`` seconds that the ranks have parted ways, whether they move or not: one
        that polls, or waits for its GPU, never looks motionless. Whatever they still end with, their calls didn't pair up."""
        if now - self._looked_at >= LOOK_EVERY:
            self._looked_at = now
            mismatch = None if (missed := self._is_missed(unfinished, finished)) else first_mismatch(self.journal)
            seen = missed or (mismatch if mismatch is not None and None not in mismatch.calls else None)
            if seen != self._parted[0]:  # of ranks that move, a journal may be read half before a call and half after it
                self._parted = (seen, now)
        return bool(self._parted[0]) and now - self._parted[1] >= PARTED_GRACE

    def stand_still(self, unfinished: Sequence[int]) -> frozenset[int] | None:
        """As :func:`matching.stand_still`, which is asked only where the answer may be another one than before; ``None`` also while
        a rank may yet see the key that it waits for."""
        now = tuple((rank, self.journal.issued(rank), self.journal.waits_for(rank)) for rank in range(self.journal.world_size))
        asked = (now, tuple(unfinished))
        if self._matched[0] != asked:
            self._matched = (asked, matching.stand_still(self.journal, unfinished))
            self._looks = {rank: self.journal.looks(rank) for rank in unfinished if matching.waits_for_key(self.journal, rank)}
        # The first look that ends from now on may have begun before the last key was written.
        if any(self.journal.looks(rank) - before < 2 for rank, before in self._looks.items()):
            return None
        return self._matched[1]

    def long_still(self, now: float) -> bool:
        """Whether the ranks have been motionless for so long that data on its way would have arrived: ``LONG_GRACE``, and
        ``BUSY_GRACE`` where no core has been free meanwhile."""
        if self.still < GRACE:
            return False
        idle = _idle_seconds()
        if self._base[0] != self._since:
            self._base = (self._since, now, idle or 0.0)
        _, began, before = self._base
        free = idle is not None and idle - before > FREE_SHARE * (now - began)
        return now - began >= (LONG_GRACE if free else BUSY_GRACE)


_BACKWARD = ("/torch/autograd/graph.py",)
_CALLS_THAT_WAIT = (
    *_BACKWARD,
    "/torch/distributed/",
    "/torch/futures/",
    "/torch/nn/parallel/distributed.py",
    "/torch/_ops.py",
    "/quizapp_sandbox/recorder.py",
)


def waits_inside(stack: str, calls: Sequence[str] = _CALLS_THAT_WAIT) -> bool:
    """Whether a stack that ``faulthandler`` wrote ends, on the main thread, inside of torch's own communication. Of a rank that has
    not computed for a while this means that it waits for another rank; one that sleeps by itself stands in its own code."""
    innermost = _FRAME.search(stack.rpartition("(most recent call first):")[2])
    return innermost is not None and any(part in innermost["file"] for part in calls)


def waits_in_backward(stack: str) -> bool:
    """The same, inside of the backward, and of no hook that it calls."""
    return waits_inside(stack, _BACKWARD)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first order number at which ranks issued collectives that don't pair up; ``None`` for a rank that issued no more."""

    number: int
    calls: tuple[Collective | None, ...]

    @property
    def everyone_came(self) -> bool:
        """Whether this seems one call of the program, in which no rank is missing: all called the same kind, and from one line, or
        with as many elements. So they differ in dtype, root or reduction, or on one line in shape."""
        first = self.calls[0]
        if first is None:
            return False

        def comes(call: Collective | None) -> bool:
            if call is None or call.kind != first.kind:
                return False
            one_line = call.origin == first.origin and call.origin.startswith("at line")
            return one_line or call.elements == first.elements

        return all(map(comes, self.calls))


def first_mismatch(journal: Journal) -> Mismatch | None:
    """Compares the ranks' collectives over all of them, in order, as far back as the journal holds all of them. Calls in several
    groups of all ranks, or of several threads, may come in any order, once each has met its own."""
    for number, calls in _side_by_side(journal):
        first = next(call for call in calls if call is not None)
        if any(call is None or not call.pairs_with(first) for call in calls):
            return None if _all_met(journal) else Mismatch(number, calls)
    return None


def _all_met(journal: Journal) -> bool:
    """Whether in each group of all ranks every rank has made as many calls, and those of one number pair up."""
    rows: list[dict[tuple[int, int], Collective]] = []
    for rank in range(journal.world_size):
        calls = journal.calls_of_all(rank).values()
        rows.append({(call.meeting.group, call.meeting.number): call for call in calls if call.meeting is not None})
        if len(rows[-1]) < journal.issued_by_all(rank):  # unknown ones, or more than the journal holds
            return False
    first, *others = rows
    return all(row.keys() == first.keys() and all(call.pairs_with(first[at]) for at, call in row.items()) for row in others)


def first_crossing(journal: Journal) -> Mismatch | None:
    """The first collective that pairs up and yet joins different places of the program: other optimizer steps, or other lines.

    Such calls finish and mix their values. Right programs may do so too; it explains wrong numbers and is no fault by itself.
    """
    lines = None
    for number, calls in _side_by_side(journal):
        if any(call is None for call in calls):
            break
        known = tuple(call for call in calls if call is not None)
        if len({call.meeting.group for call in known if call.meeting}) > 1:
            continue
        if len({call.step for call in known}) > 1:
            return Mismatch(number, calls)
        if lines is None and len({call.origin for call in known}) > 1:
            lines = Mismatch(number, calls)
    return lines


def _side_by_side(journal: Journal) -> Iterator[tuple[int, tuple[Collective | None, ...]]]:
    rows = [journal.calls_of_all(rank) for rank in range(journal.world_size)]
    start = max((min(row) for row in rows if row), default=1)
    for number in range(start, max((max(row) for row in rows if row), default=0) + 1):
        yield number, tuple(row.get(number) for row in rows)


def last_collectives(journal: Journal, rank: int) -> list[str]:
    """The rank's last few collectives as text, each with its order number, oldest first."""
    return [f"#{number} {call}" for number, call in journal.calls(rank)[-LANE:]]


def line_in(collective: str | None) -> int | None:
    """The line of the learner's file at which a collective was called, as its text has it."""
    found = re.search(r" at line ([0-9]{1,9})$", collective or "")
    return int(found[1]) if found else None


def is_asleep(pid: int, service: frozenset[str] = frozenset()) -> bool:
    """Whether a process waits for something rather than computes, its transport's threads aside."""
    return _activity(pid, service)[0]


# Spaces as faulthandler has them: what may match any number of blank lines takes seconds on those that a rank may write.
_FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>[0-9]{1,9}) in (?P<function>.+)$', re.MULTILINE)


def place_in(stack: str, filename: str) -> dict[str, object] | None:
    """The innermost line of the learner's file in a stack that ``faulthandler`` wrote."""
    for frame in _FRAME.finditer(stack):
        if frame["file"] == filename:
            return {"line": int(frame["line"]), "function": frame["function"]}
    return None
