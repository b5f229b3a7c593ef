"""One rank: a process that joins its group, then runs scenarios as the agent hands them over, until it is killed.

It holds only its own shard. What it sends back is data for the judge to compare; nothing it says about itself is believed.
"""

import contextlib
import faulthandler
import gc
import json
import os
import signal
import socket
import sys
import types
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, NamedTuple, NoReturn

import torch
import torch.distributed as dist

from quizapp_sandbox import confine, counterpart, journal, recorder, submission, wire
from quizapp_sandbox.arrays import named, to_array
from quizapp_sandbox.contract import Scenario

GROUP_TIMEOUT = timedelta(seconds=600)
"""Longer than any scenario: the agent decides who is stuck, not the transport."""
MAX_SHARE = 1 << 40
"""Of what the ranks add up when a scenario is over. Larger than chance hits, small enough for 64 ranks' sum in an int64."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the ranks of one group run."""

    world_size: int
    collectives: str
    devices: tuple[str, ...]
    store: str
    """A path that no other group uses, for the rendezvous."""
    uid: int | None = None
    """The user that the ranks become before they do anything; ``None`` where they stay who they are."""

    def as_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of_text(cls, text: str) -> "Placement":
        given = json.loads(text)
        return cls(given["world_size"], given["collectives"], tuple(given["devices"]), given["store"], given["uid"])


class Ends(NamedTuple):
    """A rank's descriptors: frames from and to the agent; where stdout and stderr go; to which SIGUSR1 writes the Python stack,
    even while a collective blocks; frames to and from the counterpart of a lab that has one."""

    control: int
    output: int
    stacks: int
    questions: int


def _join(rank: int, placement: Placement, device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.set_device(device)
    store = torch.distributed.FileStore(placement.store, placement.world_size)  # type: ignore[attr-defined]
    # With NCCL alone a count or a flag in a CPU tensor, which programs reduce as a matter of course, would be an error.
    backend = "cpu:gloo,cuda:nccl" if placement.collectives == "nccl" else placement.collectives
    dist.init_process_group(backend, store=store, rank=rank, world_size=placement.world_size, timeout=GROUP_TIMEOUT)


def _rehearse(device: torch.device) -> None:
    """The first DDP step of a process is slow; it is paid before a submission comes."""
    replica = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1).to(device))
    replica(torch.ones(1, 2, device=device)).sum().backward()


def _inputs(drive: types.ModuleType, rank: int, task: wire.Frame, device: torch.device) -> Any:
    """What the drive makes of a scenario, before any of the learner's code runs. The scenario's arrays are let go of: those that
    all ranks share may hold more than one of them should see, and frames and the heap are open to whoever looks."""
    scenario = Scenario(
        world_size=task.data["world_size"],
        accumulate=task.data["accumulate"],
        windows=tuple(task.data["windows"]),
        probe=task.data["probe"],
        shared=named(task.arrays, "shared.", device),
        shards={rank: named(task.arrays, "shard.", device)},
        device=device,
    )
    inputs = drive.inputs(scenario, rank)
    if isinstance(task.arrays, dict):
        task.arrays.clear()
    return inputs


def _meet(share: int, devices: Collection[torch.device]) -> int:
    """One more call of all ranks, of the transports themselves: the sum of their shares, where they have called each of these
    equally often. Calls that a rank left out, or made alone, pair up with this one, which then gives something else, or hangs."""
    group, sums = dist.distributed_c10d._get_default_group(), set()
    for device in devices:
        total = torch.tensor([share], device=device)
        transport: Any = group._get_backend(device)
        transport.allreduce([total]).wait()
        sums.add(int(total))
    return sums.pop() if len(sums) == 1 else -1


def _end_groups() -> None:
    """Ends the groups that the submission formed in the last scenario, now that all ranks are done with it. Each has threads, of
    which a container has a bounded number; and a scenario is a run of its own, for which the file is loaded anew."""
    world: Any = dist.distributed_c10d._world
    formed = [group for group in world.pg_map if group is not dist.group.WORLD]
    if not formed:
        return
    sys.modules.pop("submission", None)
    while formed:
        group = formed.pop()
        with contextlib.suppress(Exception):
            name = world.pg_names[group]
            dist.destroy_process_group(group)
            # Torch must not give it again: the store still holds where the ranks of that group listened.
            world.pg_names[object()] = name
        del group
    gc.collect()  # a module that is no longer used is a cycle, and threads end with the last reference to their group


def _run(rank: int, code: wire.Frame, task: wire.Frame, device: torch.device) -> tuple[submission.Report, dict[str, wire.Array]]:
    data: dict[str, Any] = dict(code.data)
    filename, entry = str(data["filename"]), None
    try:
        drive = submission.load_drive(data["drive"], data.get("drive_source"))
        inputs = _inputs(drive, rank, task, device)
        torch.manual_seed(0)
        entry = submission.load_entry(data["source"], filename, data["entry"])
        observation = drive.drive(entry, inputs, dist.group.WORLD)
        tensors = submission.tensor_arrays(observation)
        return {"state": "observed"}, {name: to_array(tensor) for name, tensor in tensors.items()}
    except BaseException as error:  # whatever a learner's code raises ends this scenario, not this rank's loop
        return submission.report_of(error, filename, submission.Wanted(entry, str(data.get("signature")))), {}


def live(rank: int, placement: Placement, log: journal.Journal, ends: Ends) -> NoReturn:
    """The life of a rank, in a process of its own: tells the agent, where it can't begin."""
    control = socket.socket(fileno=ends.control)
    try:
        _serve(rank, placement, control, log, ends)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            control.sendall(wire.encode(wire.Frame("broken", {"message": f"{type(error).__name__}: {error}"[:2000]})))
    finally:
        os._exit(1)


def spawned(arguments: list[str]) -> NoReturn:
    """The life of a rank that was not forked. ``arguments``: its rank, its placement, the descriptors that it was given."""
    rank, placement = int(arguments[0]), Placement.of_text(arguments[1])
    *ends, descriptor = map(int, arguments[2:])
    recorder.install()
    live(rank, placement, journal.Journal(placement.world_size, descriptor), Ends(*ends))


def _serve(rank: int, placement: Placement, control: socket.socket, log: journal.Journal, ends: Ends) -> None:
    if placement.uid is not None:
        confine.become(placement.uid)
    confine.die_with_parent()
    os.setsid()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(ends.output, 1)
    os.dup2(ends.output, 2)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        setattr(sys, name, os.fdopen(descriptor, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False))
    # As torchrun has it, for programs that ask their launcher.
    where = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": placement.world_size, "LOCAL_WORLD_SIZE": placement.world_size}
    os.environ.update({name: str(value) for name, value in where.items()})
    device = torch.device(placement.devices[rank])
    _join(rank, placement, device)
    _rehearse(device)
    counterpart.connect(ends.questions)
    faulthandler.register(signal.SIGUSR1, file=ends.stacks, all_threads=True)
    faulthandler.enable(file=ends.stacks, all_threads=True)
    recorder.record(log, rank, device.type)
    shut_in = confine.confine(cuda=device.type == "cuda")
    if placement.uid is not None and not shut_in:
        raise RuntimeError("this platform has no filter for system calls, so containers can't be kept")
    log.set_state(rank, journal.PARKED)
    control.sendall(wire.encode(wire.Frame("ready")))
    code = wire.Frame("code")
    with contextlib.suppress(wire.WireClosed, OSError):
        while True:
            frame = wire.read_from(control)
            if frame.kind == "code":
                code = frame
                recorder.name_file(str(code.data["filename"]))
                continue
            if frame.kind == "meet":
                total = _meet(int(frame.data["share"]), {torch.device("cpu"), device})
                control.sendall(wire.encode(wire.Frame("met", {"total": total})))
                _end_groups()
                continue
            recorder.begin()
            report, arrays = _run(rank, code, frame, device)
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            try:
                result = wire.encode(wire.Frame("result", report, arrays))
            except wire.WireError as error:
                result = wire.encode(wire.Frame("result", {"state": "invalid", "message": str(error)}))
            log.set_state(rank, journal.PARKED)
            control.sendall(result)
    os._exit(0)
