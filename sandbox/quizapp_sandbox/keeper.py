"""A container that is kept: process 1 has torch loaded, never sees a submission, and forks an agent for each.

An agent and its ranks live for one submission, the ranks as a user that no other submission has. After it the keeper ends every
other process of the container and looks at all that a program could have left. Where there is anything, or anything went another
way than it should, it says so and ends itself, and the container with it. Linux, in a container of its own, as root with the
capabilities to change the user and to send signals. It decides nothing by what a submission wrote, and never reads it.
"""

import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import count

from quizapp_sandbox import confine, wire
from quizapp_sandbox.host import Host

PLACES = ("/tmp", "/dev/shm", "/dev/mqueue")
"""Where the user of a submission may write; the rest of the container is read-only."""
FIRST_UID, UIDS = 10_000, 50_000
"""Within the 65,536 users that a rootless engine maps."""
CLEANING_SECONDS = 10
SETTLE_SECONDS = 2.0
"""For what the kernel frees a moment after its owner has ended."""
MOST_CLOSED_CONNECTIONS = 2000
"""In TIME_WAIT, where ranks' connections stay for a minute."""

Serve = Callable[[Host, int], int]
"""Serves one submission as a user, and gives how many processes it left running."""
_CLEAN, _FAILED, _LEFT_PROCESSES = 0, 1, 3


def keep(host: Host, serve: Serve) -> None:
    """Serves submissions one after the other: ``begin``, then what an agent answers, then ``end``, which is answered by ``left``
    with the reason for doubt, or ``None``. Returns after a doubt.

    Raises:
        wire.WireClosed: the host went away. RuntimeError: this is no place where containers can be kept.
    """
    if os.getpid() != 1 or os.geteuid() != 0:
        raise RuntimeError("a kept container's agent must be its process 1, and root")
    before = dict(_around())
    for uid in count(random.SystemRandom().randrange(FIRST_UID, FIRST_UID + UIDS // 2)):
        frame = host.receive()
        if frame.kind != "begin":
            raise wire.WireError(f"{frame.kind[:40]} before begin")
        agent = os.fork()
        if agent == 0:
            os._exit(_serve_one(host, serve, uid))
        doubt = _doubt(_end_of(agent), before)
        host.send(wire.Frame("left", {"doubt": doubt}))
        if doubt is not None:
            return


def _serve_one(host: Host, serve: Serve, uid: int) -> int:
    """The life of one submission's agent; its exit code."""
    try:
        confine.die_with_parent()
        confine.adopt_orphans()
        host.send(wire.Frame("begun", {"uid": uid}))
        if serve(host, uid):
            return _LEFT_PROCESSES
        signal.alarm(CLEANING_SECONDS)
        confine.become(uid)
        for place in filter(os.path.isdir, PLACES):
            _empty(place)
        return _CLEAN
    except (wire.WireClosed, BrokenPipeError):
        return _FAILED
    except BaseException:
        traceback.print_exc(limit=-4)
        return _FAILED


def _empty(folder: str) -> None:
    """Removes what this user owns in a folder. Raises what the system, or Python, has against it."""
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.stat(follow_symlinks=False).st_uid != os.getuid():
                continue
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)
                _empty(entry.path)
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)


def _end_of(agent: int) -> int:
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == agent:
            return os.waitstatus_to_exitcode(status)


def _end_everybody(seconds: float = 10.0) -> bool:
    """Kills and reaps every other process of the container. Whether there was one.

    Raises:
        RuntimeError: one can't be killed.
    """
    found, deadline = False, time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return found
        found = True
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.002)
    raise RuntimeError("a process can't be ended")


def _around() -> Iterator[tuple[str, object]]:
    """All that outlives processes and that a user of this container could change, in numbers."""
    for place in filter(os.path.isdir, PLACES):
        size = os.statvfs(place)  # also of files that have no name any more
        with os.scandir(place) as entries:
            yield f"files in {place}", (size.f_blocks - size.f_bfree, size.f_files - size.f_ffree, next(entries, None) is not None)
    for kind in ("shm", "msg", "sem"):
        yield f"System V {kind}", _lines(f"/proc/sysvipc/{kind}")
    yield "Unix sockets", _lines("/proc/net/unix")
    yield "IPv6 flow labels", _lines("/proc/net/ip6_flowlabel")  # leased for minutes, and listed, with IPv6 switched off, too
    sockets = dict(_sockets())
    yield "closed connections", sockets.pop("TCP tw", 0) > MOST_CLOSED_CONNECTIONS
    yield "sockets", sockets
    yield "descriptors", len(os.listdir("/proc/self/fd"))
    yield "threads", len(os.listdir("/proc/self/task"))


def _lines(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return file.read().count(b"\n")
    except FileNotFoundError:
        return 0


def _sockets() -> Iterator[tuple[str, int]]:
    for path in ("/proc/net/sockstat", "/proc/net/sockstat6"):
        if not os.path.exists(path):
            continue
        with open(path, encoding="ascii") as file:
            for line in file:
                protocol, _, told = line.partition(":")
                words = told.split()
                for name, number in zip(words[::2], words[1::2], strict=True):
                    if (name == "inuse" and protocol != "sockets") or (protocol, name) == ("TCP", "tw"):
                        yield f"{protocol} {name}", int(number)


def _doubt(ended: int, before: dict[str, object]) -> str | None:
    """What a submission left, or what went another way than it should; ``None`` where all is as it was."""
    try:
        running = _end_everybody()
    except RuntimeError as error:
        return str(error)
    if ended == _LEFT_PROCESSES or running:
        return "processes were left running"
    if ended != _CLEAN:
        return "the agent failed"
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        differs = next((name for name, now in _around() if now != before.get(name)), None)
        if differs is None or time.monotonic() > deadline:
            return differs
        time.sleep(0.005)
