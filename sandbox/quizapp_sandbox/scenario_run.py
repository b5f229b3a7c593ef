"""Running one submission on the scenarios of one world size, and gathering what each rank ended with."""

import os
import secrets
import select
import selectors
import signal
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quizapp_sandbox import counterpart, groups, matching, ranks, supervise, wire
from quizapp_sandbox.counterpart import Counterpart
from quizapp_sandbox.groups import Group

TICK = 0.004
HOPELESS = 3
"""Of a submission whose ranks never end together, in so many scenarios from the first one on, no more are run."""
SETTLE = 0.05
"""Seconds that the other ranks are given after one has failed, so that each can tell what it met."""
MAX_RESULT = 1 << 20
"""Bytes of all arrays that a rank ends one scenario with. The judge holds those of all ranks and scenarios at once."""
MAX_TEXT = 2000
"""Characters kept of any text that a rank reports."""
MAX_PRINTED = 8 << 10
"""Bytes kept of what a rank printed; JSON may make six of one."""
SEND_SECONDS = 10.0
MEET_SECONDS = 5.0
"""For ranks that have nothing else to do to add up one number each. Only those whose calls don't pair up need longer."""
RANKS_WORD = frozenset(("observed", "invalid", "raised", "peer", "limit"))
"""States that a rank tells of itself. The others are the agent's to find."""
DECIDED = frozenset(("invalid", "raised", "limit", "forged", "exited"))
"""States after which further scenarios tell nothing new."""

Report = dict[str, Any]


@dataclass(slots=True)
class _Run:
    group: Group
    filename: str
    reports: dict[int, Report] = field(default_factory=dict)
    arrays: dict[str, wire.Array] = field(default_factory=dict)
    output: dict[int, bytearray] = field(default_factory=dict)
    printed: int = 0

    def unfinished(self) -> list[int]:
        return [rank for rank in range(self.group.placement.world_size) if rank not in self.reports]


def _exit_report(run: _Run, rank: int) -> Report:
    status = groups.exit_status(run.group.pids[rank], wait=2.0)
    if status is None or not os.WIFSIGNALED(status):
        code = None if status is None else os.waitstatus_to_exitcode(status)
        return {"state": "exited", "code": code}
    place = supervise.place_in(groups.last_stack_of(run.group, rank), run.filename)
    return {"state": "killed", "signal": os.WTERMSIG(status), **_bounded(place or {})}


def _bounded(data: Mapping[str, Any]) -> Report:
    """What is kept of a rank's own report: whatever it wrote, the agent's frame stays within its bounds."""
    lengths = {"state": 20, "message": MAX_TEXT, "function": 200}
    report: Report = {name: str(data[name])[:length] for name, length in lengths.items() if data.get(name) is not None}
    for name in ("line", "column"):
        if isinstance(data.get(name), int) and 0 <= data[name] < 1 << 31:
            report[name] = data[name]
    return report


def _take_result(run: _Run, rank: int, frame: wire.Frame) -> None:
    run.reports[rank] = _bounded(frame.data)
    for name, array in frame.arrays.items():
        run.arrays[f"{rank}.{name}"] = array


def _read_control(run: _Run, rank: int, buffers: dict[int, wire.FrameBuffer]) -> bool:
    """Takes what a rank sent. ``False`` at the end of its stream, or after bytes that are no result."""
    try:
        data = run.group.controls[rank].recv(1 << 20)
    except BlockingIOError:
        return True
    except OSError:
        data = b""
    if not data:
        if rank not in run.reports:
            run.reports[rank] = _exit_report(run, rank)
        return False
    try:
        buffers[rank].feed(data)
        frame = buffers[rank].take()
        if frame is None:
            return True
        if frame.kind != "result" or rank in run.reports or str(frame.data.get("state")) not in RANKS_WORD:
            raise wire.WireError("no result was due")
        _take_result(run, rank, frame)
    except wire.WireError as error:
        run.reports[rank] = {"state": "forged", "message": f"wrote to the judge's stream ({error})"}
        return False
    return True


def _read_output(run: _Run, rank: int) -> bool:
    try:
        data = os.read(run.group.outputs[rank], 1 << 16)
    except OSError:
        return True
    run.printed += len(data)
    run.output.setdefault(rank, bytearray()).extend(data)
    return bool(data)


def _all_wait_inside(group: Group, ranks: Sequence[int], watch: supervise.Watch) -> bool:
    """Whether every one of the ranks waits in a call of torch's, and none has moved while it was asked."""
    if not all(map(supervise.waits_inside, groups.stacks_of(group, ranks).values())):
        return False
    watch.look(ranks, time.monotonic())
    return watch.still >= supervise.LONG_GRACE


def _all_wait_in_backward(group: Group, ranks: Collection[int], watch: supervise.Watch, unfinished: Sequence[int]) -> bool:
    """Whether the ranks wait in their backward, and no unfinished one has called anything while they were asked."""
    before = watch.stand_still(unfinished)
    stacks = groups.stacks_of(group, ranks)
    return all(map(supervise.waits_in_backward, stacks.values())) and watch.stand_still(unfinished) == before == ranks


def _watch(run: _Run, seconds: float, until: float, output_bytes: int) -> str:
    """Reads until all ranks have finished, or the run is decided: ``clean``, ``failed``, ``stuck``, ``parted``, ``timeout``,
    ``output``, or ``total``, where it is ``until`` that the time was up."""
    group = run.group
    buffers = {rank: wire.FrameBuffer(MAX_RESULT) for rank in range(group.placement.world_size)}
    watch = supervise.Watch(group.journal, group.pids, group.service)
    start = asked_at = looked_at = time.monotonic()
    failed_at: float | None = None
    with selectors.DefaultSelector() as selector:
        for rank in range(group.placement.world_size):
            selector.register(group.controls[rank], selectors.EVENT_READ, (rank, "control"))
            selector.register(group.outputs[rank], selectors.EVENT_READ, (rank, "output"))
        while True:
            for key, _ in selector.select(TICK):
                rank, what = key.data
                alive = _read_control(run, rank, buffers) if what == "control" else _read_output(run, rank)
                if not alive:
                    selector.unregister(key.fileobj)
            unfinished, now = run.unfinished(), time.monotonic()
            if run.printed > output_bytes:
                return "output"
            failures = [rank for rank, report in run.reports.items() if report["state"] != "observed"]
            if not unfinished:
                return "failed" if failures else "clean"
            if failures and failed_at is None:
                failed_at = now
            if failed_at is not None and now - failed_at > SETTLE:
                return "failed"
            finished = [rank for rank, report in run.reports.items() if report["state"] == "observed"]
            if failed_at is None and now - start > supervise.GRACE:
                if watch.stuck(unfinished, finished, now):
                    return "stuck"
                doubtful = watch.stand_still(unfinished)
                if doubtful is not None and (
                    not doubtful or (watch.still >= supervise.GRACE and now - looked_at > supervise.GRACE)
                ):
                    looked_at = now
                    if not doubtful or _all_wait_in_backward(group, doubtful, watch, unfinished):
                        return "stuck"
                if watch.parted(unfinished, finished, now):
                    return "parted"
                if now - asked_at >= supervise.LONG_GRACE and watch.long_still(now):
                    asked_at = now
                    if _all_wait_inside(group, unfinished, watch):
                        return "stuck"
            if now - start > seconds:
                return "timeout"
            if now > until:
                return "total"


def _still_meet(run: _Run) -> bool:
    """Whether the ranks' next call of all of them would be one, whatever was recorded of those before: each gets a share that no
    other rank knows and must tell the sum of all."""
    group = run.group
    shares = [secrets.randbelow(ranks.MAX_SHARE) for _ in group.controls]
    for rank, share in enumerate(shares):
        if not _hand_over(group, (wire.encode(wire.Frame("meet", {"share": share})),), rank):
            return False
    until = time.monotonic() + MEET_SECONDS
    answers = [_answer(control, until) for control in group.controls]
    return all(frame and frame.kind == "met" and frame.data.get("total") == sum(shares) for frame in answers)


def _really(run: _Run, end: str) -> str:
    """How a run ended where some ranks made calls alone: in a smaller group (``alone``), or unseen (``unrecorded``)."""
    if end != "clean" or supervise.first_mismatch(run.group.journal) is not None:
        return end
    if (found := matching.left_alone(run.group.journal)) is not None:
        rank, call, absent = found
        run.reports[rank]["alone"] = {"call": str(call), "absent": absent}
        return "alone"
    return "clean" if _still_meet(run) else "unrecorded"


def _answer(control: socket.socket, until: float) -> wire.Frame | None:
    """The next frame of a rank. ``None`` where it isn't whole by ``until``, however its bytes come, or isn't one at all."""
    buffer = wire.FrameBuffer(0)
    try:
        while select.select([control], [], [], max(0.0, until - time.monotonic()))[0] and (data := control.recv(1 << 16)):
            buffer.feed(data)
            if (frame := buffer.take()) is not None:
                return frame
            if time.monotonic() > until:
                break
    except (OSError, wire.WireError):
        pass
    return None


def _describe_unfinished(run: _Run, end: str) -> None:
    stuck = end == "stuck"
    group, journal = run.group, run.group.journal
    # Ranks that are stuck have all been seen to wait; a look now would see them answer for their stacks.
    waits = {
        rank: stuck or (supervise.SEES_THREADS and supervise.is_asleep(group.pids[rank], group.service[rank]))
        for rank in run.unfinished()
    }
    for rank, stack in groups.stacks_of(group, list(waits)).items():
        asleep = waits[rank] or (not supervise.SEES_THREADS and supervise.waits_inside(stack))
        place = supervise.place_in(stack, run.filename)
        calls = supervise.last_collectives(journal, rank)
        if place is None and stuck and calls and (line := supervise.line_in(calls[-1])) is not None:
            place = {"line": line}
        run.reports[rank] = {"state": "waiting" if asleep else "running", **_bounded(place or {})}
        if stuck and (call := matching.awaited(journal, rank)) is not None:
            run.reports[rank]["awaits"] = str(call)


def _drain_output(run: _Run, output_bytes: int) -> None:
    for rank in range(run.group.placement.world_size):
        while run.printed <= output_bytes:
            before = run.printed
            _read_output(run, rank)
            if run.printed == before:
                break


def _result(index: int, run: _Run, end: str, output_bytes: int) -> wire.Frame:
    size = run.group.placement.world_size
    mismatch = supervise.first_mismatch(run.group.journal)
    crossing = supervise.first_crossing(run.group.journal) if mismatch is None else None
    for rank in range(size):
        report, calls = run.reports[rank], supervise.last_collectives(run.group.journal, rank)
        report["collectives"] = calls
        if report["state"] == "killed" and "line" not in report and calls and (line := supervise.line_in(calls[-1])) is not None:
            report["line"] = line  # a rank that gloo aborted has no stack to ask for
    data = {
        "index": index,
        "end": end,
        "ranks": [run.reports[rank] for rank in range(size)],
        "mismatch": mismatch
        and {
            "number": mismatch.number,
            "calls": [call and str(call) for call in mismatch.calls],
            "everyone": mismatch.everyone_came,
        },
        "crossing": crossing
        and {
            "number": crossing.number,
            "steps": [call.step + 1 for call in crossing.calls if call],
            "origins": [call.origin for call in crossing.calls if call],
        },
        "output": [
            bytes(run.output.get(rank, b""))[: min(output_bytes // size, MAX_PRINTED)].decode(errors="replace")
            for rank in range(size)
        ],
    }
    return wire.Frame("scenario", data, run.arrays)


def _drop_what_is_too_much(run: _Run) -> None:
    """All ranks' arrays go in one frame; each alone was within bounds, together they may not be."""
    names = sum(6 * len(name) + 120 for name in run.arrays)
    payload = sum(len(array.data) for array in run.arrays.values())
    if names > wire.MAX_HEADER // 4 or payload > wire.MAX_PAYLOAD:
        run.arrays.clear()
        for report in run.reports.values():
            report.update(state="invalid", message="gave back more, and larger, arrays than can be sent")


def _hand_over(group: Group, parts: Sequence[bytes], rank: int) -> bool:
    """Whether a rank took its task; one that was killed meanwhile, or no longer reads, does not."""
    control = group.controls[rank]
    control.settimeout(SEND_SECONDS)
    try:
        for part in parts:
            control.sendall(part)
    except OSError:
        return False
    control.setblocking(False)
    return True


def _is_decided(run: _Run, end: str) -> bool:
    killed = (report.get("signal") for report in run.reports.values() if report["state"] == "killed")
    states = {report["state"] for report in run.reports.values()}
    return (
        end in ("timeout", "total", "output", "unrecorded")
        or bool(states & DECIDED)
        or any(number != signal.SIGABRT for number in killed)
    )


def _renamed(arrays: Mapping[str, wire.Array], prefix: str, new: str) -> dict[str, wire.Array]:
    return {new + name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _all_invalid(run: _Run, error: Exception) -> None:
    run.arrays = {}
    message = f"could not be observed: the exercise's other process says nothing ({error})"
    for rank in range(run.group.placement.world_size):
        run.reports[rank] = {"state": "invalid", "message": message}


def _begin(run: _Run, beside: Counterpart, hidden: Mapping[str, wire.Array]) -> None:
    """Hands the counterpart what is hidden. Where it is gone, so is the scenario."""
    try:
        beside.begin(hidden)
    except (OSError, wire.WireError) as error:
        _all_invalid(run, error)


def _tell(run: _Run, beside: Counterpart) -> None:
    """Puts what the counterpart makes of the ranks' arrays in their place."""
    try:
        run.arrays = dict(beside.told(run.arrays, run.group.placement.world_size))
    except (OSError, wire.WireError) as error:
        _all_invalid(run, error)


def run_all(
    request: wire.Frame, ready: Group | None, form: Callable[[], Group], send: Callable[[wire.Frame], None]
) -> Group | None:
    """Runs the scenarios of a ``run`` request and sends a ``scenario`` frame for each, until one decides the submission's outcome.

    Arrays of the request are named ``<index>.<rank>.<name>``, with ``*`` for the rank where all share one. Each rank is sent
    its own and the shared ones only; shared ones named ``hidden.*`` go to the lab's counterpart and to no rank.

    Returns:
        The group, still joined, where the last scenario ended cleanly.
    """
    data = dict(request.data)
    filename, seconds, output_bytes = data["filename"], data["seconds"], data["output_bytes"]
    given = ("entry", "signature", "filename", "source", "drive", "drive_source")
    code = wire.encode(wire.Frame("code", {name: data.get(name) for name in given}))
    until = time.monotonic() + data["total_seconds"]
    group, beside, hides = ready, None, data.get("counterpart_source") is not None
    ended_apart = 0
    try:
        for index, facts in enumerate(data["scenarios"]):
            fresh = group is None or index == 0
            group = form() if group is None else group
            if fresh and hides:
                apart = group.placement.uid is not None
                beside = counterpart.start(data["counterpart_source"], group.questions, apart, groups.SPAWNED)
            run = _Run(group, filename)
            shared = _renamed(request.arrays, f"{index}.*.", "shared.")
            hidden = _renamed(shared, f"shared.{counterpart.HIDDEN}", "")
            if beside is not None:
                _begin(run, beside, hidden)
            for rank in run.unfinished():
                mine = _renamed(request.arrays, f"{index}.{rank}.", "shard.") | shared
                seen = {name: array for name, array in mine.items() if not name.startswith(f"shared.{counterpart.HIDDEN}")}
                task = wire.encode(wire.Frame("scenario", {**facts, "world_size": group.placement.world_size}, seen))
                if not _hand_over(group, (code, task) if fresh else (task,), rank):
                    run.reports[rank] = _exit_report(run, rank)
            end = _watch(run, seconds, until, output_bytes)
            end = _really(run, end)
            _describe_unfinished(run, end)
            _drain_output(run, output_bytes)
            _drop_what_is_too_much(run)
            if beside is not None and end == "clean":
                _tell(run, beside)
            send(_result(index, run, end, output_bytes))
            if end != "clean":
                groups.dissolve(group)
                group = None
                if beside is not None:
                    beside.end()
                    beside = None
            ended_apart += end != "clean"
            # Ranks that took these ones' place would be forked from a process that holds what such a lab hides.
            if (end != "clean" and hides) or _is_decided(run, end) or index + 1 == ended_apart == HOPELESS:
                break
    finally:
        if beside is not None:
            beside.end()
    return group
