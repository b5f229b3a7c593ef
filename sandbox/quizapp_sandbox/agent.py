"""The agent: one process with torch loaded that forks ranks, watches them, and hands what they ended with to the host.

It speaks frames on its standard input and output. Requests: ``form`` (prepare a group ahead), ``run`` (one submission on the
scenarios of one world size; ``again``: the same as in the last run, so that its ranks will do), ``end`` (nothing more comes),
``reference`` (oracle workers only). It judges nothing and holds no expected value. What is forked while it holds a ``run`` can read
all ranks' arrays there, so ``form`` comes first.
"""

import functools
import gc
import importlib
import os
import pkgutil
import signal
import sys
import tempfile
import time
from typing import Any

from quizapp_sandbox import wire
from quizapp_sandbox.host import Host, take_over_streams

ROLES = ("submission", "kept", "oracle")


def _gpus() -> int:
    """Counted by the driver's management library: the CUDA runtime, once asked, is of no use to forked children."""
    import torch

    return torch.cuda.device_count()


def _load(role: str) -> None:
    """Loads what a first DDP step loads, so that no fork pays for it, and for submissions to come what some of them load."""
    import torch

    torch.set_num_threads(1)
    if role != "oracle":
        import torch._dynamo
        import torch.distributed.nn

        _compile_nothing()
    if role == "kept":
        import torch.distributed.optim


def _compile_nothing() -> None:
    """Ranks may start no compiler. What ``torch.compile`` is given runs as it is, to the same numbers; the backend that it would
    load otherwise takes a second of each rank."""
    import torch

    original: Any = torch.compile

    @functools.wraps(original)
    def as_it_is(model: Any = None, **_: Any) -> Any:
        return original(model, backend="eager")

    torch._dynamo.config.disable = True
    torch.compile = as_it_is


def _warm_up(gpus: int = 0) -> None:
    """Runs what a first step runs; leaves one thread and CUDA untouched.

    With GPUs no backward is run: autograd would start a thread for each of them, and could then not be used in any fork.
    """
    import torch

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


def _own_folder(uid: int | None) -> str:
    from quizapp_sandbox import confine

    if uid is None:
        return tempfile.mkdtemp(prefix="quizapp-")
    with confine.acting_as(uid):
        return tempfile.mkdtemp(prefix="quizapp-")


def _serve_submissions(host: Host, uid: int | None = None) -> int:
    """Answers requests until ``end``.

    Args:
        uid: the user that the ranks become; ``None`` for the agent's own.

    Returns:
        How many processes the submissions left running.

    Raises:
        wire.WireClosed: the host went away. groups.FormationError: ranks can't be started.
    """
    import shutil

    from quizapp_sandbox import groups
    from quizapp_sandbox.ranks import Placement
    from quizapp_sandbox.scenario_run import run_all

    folder = _own_folder(uid)
    formed: dict[int, groups.Group] = {}
    used: dict[int, groups.Group] = {}
    """Of the submission that ran last, after a clean finish."""
    count = left_running = 0

    def form(data: dict[str, Any]) -> groups.Group:
        nonlocal count
        count += 1
        store = os.path.join(folder, f"store-{count}-{time.monotonic_ns()}")
        placement = Placement(data["world_size"], data["collectives"], tuple(data["devices"]), store, uid)
        return groups.form(placement)

    try:
        while True:
            frame = host.receive()
            request = dict(frame.data)
            if frame.kind == "form":
                size = request["world_size"]
                if size not in formed and not (request.get("again") and size in used):
                    formed[size] = form(request)
                host.send(wire.Frame("formed", {"world_size": size}))
            elif frame.kind == "run":
                size = request["world_size"]
                if not request.get("again"):
                    while used:
                        groups.dissolve(used.popitem()[1])
                ready = used.pop(size, None) or formed.pop(size, None)
                left = run_all(frame, ready, functools.partial(form, request), host.send)
                host.send(wire.Frame("done"))
                if left is not None:
                    used[size] = left
                known = [pid for group in (*formed.values(), *used.values()) for pid in group.pids]
                strays = groups.sweep(known, everybody=uid is not None)
                left_running += strays
                for gone in (formed, used) if uid is not None and strays else ():
                    while gone:
                        groups.dissolve(gone.popitem()[1])
            elif frame.kind == "end":
                break
            else:
                host.send(wire.Frame("fault", {"message": f"no such request: {frame.kind[:40]}"}))
    finally:
        for group in (*formed.values(), *used.values()):
            groups.dissolve(group)
        left_running += groups.sweep([], everybody=uid is not None)
        shutil.rmtree(folder, ignore_errors=True)
    return left_running


def _serve_references(host: Host) -> None:
    from quizapp_sandbox.oracle import References

    references = References()
    gc.freeze()
    gc.enable()
    host.send(wire.Frame("ready", _facts()))
    while True:
        host.send(references.answer(host.receive()))


def _serve_programs(role: str, host: Host, gpus: int) -> None:
    # All that a rank would import is loaded before anything is forked.
    from quizapp_sandbox import counterpart, drives, groups, keeper, ranks, recorder, scenario_run  # noqa: F401

    for module in pkgutil.iter_modules(drives.__path__):
        importlib.import_module(f"{drives.__name__}.{module.name}")
    recorder.install()
    gc.freeze()  # with no collection before: it takes a third of a second, and finds next to nothing
    gc.enable()
    host.send(wire.Frame("ready", _facts(gpus)))
    if role == "kept":
        keeper.keep(host, _serve_submissions)
    else:
        _serve_submissions(host)


def main(arguments: list[str] | None = None) -> int:
    """Runs an agent until the host closes the stream, or what one spawned. ``arguments``: the role; those of a rank or counterpart
    follow."""
    role, *others = sys.argv[1:] if arguments is None else arguments
    gc.disable()  # until all is loaded: that takes a tenth less time
    if role == "rank":
        _load(role)
        _warm_up()
        gc.enable()
        from quizapp_sandbox import ranks

        ranks.spawned(others)
    if role == "counterpart":
        gc.enable()
        from quizapp_sandbox import counterpart

        counterpart.spawned(others)
    if role not in ROLES:
        raise SystemExit(f"the role is one of {', '.join(ROLES)}")
    from quizapp_sandbox import confine

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C belongs to the host, which closes the stream
    confine.die_with_parent()
    confine.hide_memory()
    confine.adopt_orphans()
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # whatever of torch asks for GPUs must not start CUDA here either
    if role != "submission":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    host = take_over_streams()
    try:
        gpus = _gpus()
        _load(role)
        _warm_up(gpus)
        if role == "oracle":
            _serve_references(host)
        else:
            _serve_programs(role, host, gpus)
    except (wire.WireClosed, BrokenPipeError):
        return 0
    return 0
