"""The agent: one process with torch loaded that forks ranks, watches them, and hands what they ended with to the host.

It speaks frames on its standard input and output. Requests: ``form`` (prepare a group ahead), ``run`` (one submission on the
scenarios of one world size), ``reference`` (oracle workers only). It judges nothing and holds no expected value.
"""

import functools
import gc
import os
import signal
import sys
import tempfile
import time
from typing import Any, BinaryIO

from quizapp_sandbox import wire

ROLES = ("submission", "oracle")


def _gpus() -> int:
    """Counted by the driver's management library: the CUDA runtime, once asked, is of no use to forked children."""
    import torch

    return torch.cuda.device_count()


def _warm_up(gpus: int = 0) -> None:
    """Loads what a first DDP step loads, so that no fork pays for it; leaves one thread and CUDA untouched.

    With GPUs no backward is run: autograd would start a thread for each of them, and could then not be used in any fork.
    """
    import torch
    import torch._dynamo
    import torch.distributed.nn
    import torch.distributed.optim

    torch.set_num_threads(1)
    weight = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(torch.ones(2, 2, dtype=torch.float64) @ weight, torch.tensor([0, 1]))
    if not gpus:
        loss.backward()  # type: ignore[no-untyped-call]
    threads = "/proc/self/task"
    if os.path.isdir(threads) and len(os.listdir(threads)) != 1:
        raise RuntimeError("the agent has more than one thread; its forks would hang")


def _facts(gpus: int = 0) -> dict[str, Any]:
    import torch

    return {"torch": torch.__version__, "gpus": gpus, "python": sys.version.split()[0]}


class Host:
    """The host's side of the stream."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink

    def receive(self) -> wire.Frame:
        return wire.read_frame(self._exactly)

    def _exactly(self, count: int) -> bytes:
        data = self._source.read(count)
        if len(data) < count:
            raise wire.WireClosed("the host closed the stream")
        return data

    def send(self, frame: wire.Frame) -> None:
        self._sink.write(wire.encode(frame))
        self._sink.flush()


def _take_over_streams() -> Host:
    """Keeps the stream to the host for the agent alone; whatever else prints goes to stderr."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return Host(source, sink)


def _serve_submissions(host: Host, gpus: int) -> None:
    from quizapp_sandbox import groups, journal
    from quizapp_sandbox.ranks import Placement
    from quizapp_sandbox.scenario_run import run_all

    journal.install()
    folder = tempfile.mkdtemp(prefix="quizapp-")
    formed: dict[int, groups.Group] = {}
    count = 0

    def form(data: dict[str, Any]) -> groups.Group:
        nonlocal count
        count += 1
        store = os.path.join(folder, f"store-{count}-{time.monotonic_ns()}")
        placement = Placement(data["world_size"], data["collectives"], tuple(data["devices"]), store)
        return groups.form(placement)

    try:
        host.send(wire.Frame("ready", _facts(gpus)))
        while True:
            frame = host.receive()
            request = dict(frame.data)
            if frame.kind == "form":
                size = request["world_size"]
                if size not in formed:
                    formed[size] = form(request)
                host.send(wire.Frame("formed", {"world_size": size}))
            elif frame.kind == "run":
                ready = formed.pop(request["world_size"], None)
                left = run_all(frame, ready, functools.partial(form, request), host.send)
                host.send(wire.Frame("done"))
                if left is not None:
                    groups.dissolve(left)
                groups.sweep([pid for group in formed.values() for pid in group.pids])
            else:
                host.send(wire.Frame("fault", {"message": f"no such request: {frame.kind[:40]}"}))
    finally:
        for group in formed.values():
            groups.dissolve(group)
        groups.sweep([])
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _serve_references(host: Host) -> None:
    from quizapp_sandbox.oracle import References

    references = References()
    host.send(wire.Frame("ready", _facts()))
    while True:
        host.send(references.answer(host.receive()))


def main(arguments: list[str] | None = None) -> int:
    """Runs an agent until the host closes the stream, or a rank that one spawned. ``arguments``: the role; a rank's own follow."""
    role, *others = sys.argv[1:] if arguments is None else arguments
    if role == "rank":
        _warm_up()
        from quizapp_sandbox import ranks

        ranks.spawned(others)
    if role not in ROLES:
        raise SystemExit(f"the role is one of {', '.join(ROLES)}")
    from quizapp_sandbox import confine

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C belongs to the host, which closes the stream
    confine.die_with_parent()
    confine.hide_memory()
    confine.adopt_orphans()
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # whatever of torch asks for GPUs must not start CUDA here either
    if role == "oracle":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    host = _take_over_streams()
    try:
        gpus = _gpus()
        _warm_up(gpus)
        gc.collect()
        gc.freeze()
        if role == "submission":
            _serve_submissions(host, gpus)
        else:
            _serve_references(host)
    except (wire.WireClosed, BrokenPipeError):
        return 0
    return 0
