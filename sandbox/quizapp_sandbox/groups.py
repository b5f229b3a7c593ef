"""Groups of ranks: starting them, joining them, ending them with all that they started.

Ranks are forked from the agent, which has torch loaded. Where a fork after torch isn't safe (macOS) each is a Python of its own.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass, replace

from quizapp_sandbox import ranks, wire
from quizapp_sandbox.journal import Journal

FORM_SECONDS = 60.0
SPAWNED = sys.platform == "darwin"
ANSWERS_WITHIN = 1.0
"""Seconds that a rank is given to begin writing its stack. It does so as soon as a core is free, busy or not: on a machine full of
other work that may take some tenths."""
WRITES_WITHIN = 1.0
"""Seconds for all of a stack: what runs in a rank may write there as slowly, or as long, as it likes."""
LARGEST_PIPE = 1 << 20
"""Bytes to which a process without privileges can enlarge a pipe."""


class FormationError(RuntimeError):
    """The ranks could not join their group; no fault of a submission."""


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks that stand ready. Index = rank everywhere."""

    placement: ranks.Placement
    journal: Journal
    pids: tuple[int, ...]
    controls: tuple[socket.socket, ...]
    outputs: tuple[int, ...]
    """Read ends of what the ranks print."""
    stacks: tuple[int, ...]
    """Read ends of the Python stacks that SIGUSR1 asks for."""
    questions: tuple[socket.socket, ...]
    """The counterpart's ends of what the ranks ask it, where a lab has one. The agent reads nothing there."""
    service: tuple[frozenset[str], ...] = ()
    """Threads that each rank had when it was ready: the transport's, which wake now and then while the rank itself waits."""


def _fork(rank: int, placement: ranks.Placement, journal: Journal, ends: ranks.Ends, foreign: list[int]) -> int:
    """``foreign``: descriptors that are none of the rank's business."""
    pid = os.fork()
    if pid == 0:
        for descriptor in foreign:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        ranks.live(rank, placement, journal, ends)
    return pid


def _spawn(rank: int, placement: ranks.Placement, journal: Journal, ends: ranks.Ends) -> int:
    kept = (*ends, journal.descriptor)
    for descriptor in kept:
        os.set_inheritable(descriptor, True)
    try:
        given = [str(rank), placement.as_text(), *map(str, kept)]
        return os.posix_spawn(sys.executable, [sys.executable, "-I", "-m", "quizapp_sandbox", "rank", *given], os.environ)
    finally:
        for descriptor in kept:
            os.set_inheritable(descriptor, False)


_Row = tuple[int, socket.socket, int, int, socket.socket]


def _start(rank: int, placement: ranks.Placement, journal: Journal, inherited: list[int]) -> _Row:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    asked, asks = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    output_read, output_write = os.pipe()
    stack_read, stack_write = os.pipe()
    ends = ranks.Ends(theirs.fileno(), output_write, stack_write, asks.fileno())
    if SPAWNED:
        pid = _spawn(rank, placement, journal, ends)
    else:
        pid = _fork(rank, placement, journal, ends, [*inherited, ours.fileno(), output_read, stack_read, asked.fileno()])
    theirs.close()
    asks.close()
    os.close(output_write)
    os.close(stack_write)
    for descriptor in (output_read, stack_read):
        os.set_blocking(descriptor, False)
    return pid, ours, output_read, stack_read, asked


def form(placement: ranks.Placement) -> Group:
    """Starts the ranks and waits until all of them have joined.

    Raises:
        FormationError: a rank failed, or they did not all join in time.
    """
    journal = Journal.in_file(placement.world_size) if SPAWNED else Journal(placement.world_size)
    inherited = [int(name) for name in os.listdir("/dev/fd") if int(name) > 2] if os.path.isdir("/dev/fd") else []
    rows: list[_Row] = []
    for rank in range(placement.world_size):
        others = [descriptor for row in rows for descriptor in (row[1].fileno(), row[2], row[3], row[4].fileno())]
        rows.append(_start(rank, placement, journal, [*inherited, *others]))
    pids, controls, outputs, stacks, questions = zip(*rows, strict=True)
    group = Group(placement, journal, pids, controls, outputs, stacks, questions)
    deadline = time.monotonic() + FORM_SECONDS
    for rank, control in enumerate(controls):
        control.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            frame = wire.read_from(control)
        except (wire.WireError, OSError) as error:
            dissolve(group)
            raise FormationError(f"rank {rank} did not join its group ({error})") from None
        if frame.kind != "ready":
            dissolve(group)
            raise FormationError(f"rank {rank} did not join its group: {frame.data.get('message')}")
        control.setblocking(False)
    return replace(group, service=tuple(_threads(pid) - {str(pid)} for pid in pids))


def _threads(pid: int) -> frozenset[str]:
    try:
        return frozenset(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return frozenset()


def exit_status(pid: int, wait: float) -> int | None:
    """A child's wait status, once it has ended; ``None`` if it hasn't within ``wait`` seconds."""
    deadline = time.monotonic() + wait
    while True:
        try:
            done, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return 0
        if done:
            return status
        if time.monotonic() >= deadline:
            return None
        time.sleep(0.001)


def stacks_of(group: Group, asked: Collection[int]) -> dict[int, str]:
    """The Python stacks of ranks that run or hang, asked for all at once; empty where one gives none in time."""
    for rank in asked:
        with contextlib.suppress(OSError):
            for _ in range(LARGEST_PIPE >> 16):  # an answer that came too late for an earlier question
                os.read(group.stacks[rank], 1 << 16)
        with contextlib.suppress(OSError):
            os.kill(group.pids[rank], signal.SIGUSR1)
    deadline = time.monotonic() + ANSWERS_WITHIN
    return {rank: _stack_from(group.stacks[rank], deadline) for rank in asked}


def last_stack_of(group: Group, rank: int) -> str:
    """The Python stack that a rank wrote as it crashed; empty where it wrote none."""
    return _stack_from(group.stacks[rank], time.monotonic())


def _stack_from(descriptor: int, deadline: float) -> str:
    text, latest = b"", max(deadline, time.monotonic()) + WRITES_WITHIN
    while len(text) < 1 << 16 and (now := time.monotonic()) < latest:
        readable, _, _ = select.select([descriptor], [], [], 0.02 if text else max(0.0, deadline - now))
        part = os.read(descriptor, 1 << 16) if readable else b""
        if not part:
            break
        text += part
    return text.decode(errors="replace")


def dissolve(group: Group) -> None:
    """Kills the ranks and closes what belongs to them."""
    for pid in group.pids:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(pid, signal.SIGKILL)
    for pid in group.pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    for end in (*group.controls, *group.questions):
        end.close()
    for descriptor in (*group.outputs, *group.stacks):
        with contextlib.suppress(OSError):
            os.close(descriptor)
    with contextlib.suppress(OSError):
        os.unlink(group.placement.store)


def _children() -> set[int]:
    me, found = os.getpid(), set()
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    if int(file.read().rpartition(b")")[2].split()[1]) == me:
                        found.add(int(name))
    return found


def sweep(known: Collection[int], seconds: float = 5.0, *, everybody: bool = False) -> int:
    """Kills every child of the agent but ``known``: what a submission left running, orphans included. Linux.

    Args:
        everybody: where there is one, kill all other processes of the container at once, so that none can fork itself away;
            ``known`` ones go with them.

    Returns:
        How many there were.
    """
    deadline, found = time.monotonic() + seconds, set()
    while (strays := _children() - set(known)) and time.monotonic() < deadline:
        found |= strays
        if everybody:
            with contextlib.suppress(OSError):
                os.kill(-1, signal.SIGKILL)
        for pid in strays:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
    return len(found)
