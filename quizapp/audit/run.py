"""Running a plan in the person's own Python: one process per rank, a time limit, and nothing left behind."""

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from quizapp.audit.plan import ADAPTERS, Plan

INSTALLED = ("site-packages", "dist-packages")
"""Folders of libraries: an environment may lie within the trainer's own folder."""
GRACE = 3.0
"""Seconds that other ranks are given once one has failed: they may fail for a reason of their own."""
MOST_OUTPUT = 4 << 20


class CannotRun(Exception):
    """The audit can't be run. ``code`` 2: the file is at fault; 3: the environment is.

    ``details``: lines for below the message: the calls in the trainer's own files, and what the rank printed last.
    """

    def __init__(self, message: str, code: Literal[2, 3], details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code: Literal[2, 3] = code
        self.details = tuple(details)


def auditor() -> Path:
    """The folder of the package that runs in the person's Python.

    Raises:
        CannotRun: this installation lacks it.
    """
    found = importlib.util.find_spec("quizapp_auditor")
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        raise CannotRun("the package quizapp_auditor isn't installed beside quizapp; install quizapp again", 3)
    return Path(places[0])


def adapter_file(name: str) -> Path:
    """The file of a ready adapter."""
    return auditor() / "adapters" / f"{ADAPTERS[name]}.py"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _environment(plan: Plan, folder: Path, path: Sequence[str]) -> dict[str, str]:
    """The person's environment, with CPU ranks, one thread each, and no hub that would be asked for anything."""
    drop = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT")
    kept = {name: value for name, value in os.environ.items() if name not in drop and not name.startswith("TORCHELASTIC_")}
    before = [entry for entry in (*path, kept.get("PYTHONPATH", "")) if entry]
    kept["PYTHONPATH"] = os.pathsep.join((str(folder / "lib"), *before))
    kept |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
             "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}  # fmt: skip
    if plan.ranks > 1:
        kept |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()), "WORLD_SIZE": str(plan.ranks),
                 "LOCAL_WORLD_SIZE": str(plan.ranks)}  # fmt: skip
    return kept


@contextlib.contextmanager
def _processes(plan: Plan, python: str, folder: Path, path: Sequence[str]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The ranks; all they started is ended when the block is left."""
    environment = _environment(plan, folder, path)
    ranks: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(plan.ranks):
            own = {"RANK": str(rank), "LOCAL_RANK": str(rank)} if plan.ranks > 1 else {}
            with (folder / f"said-{rank}.txt").open("wb") as said:
                command = [python, "-m", "quizapp_auditor", str(folder / "plan.json"), str(rank)]
                mine = environment | own
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=mine, start_new_session=True
                )
                ranks.append(process)
        yield ranks
    except (FileNotFoundError, PermissionError, NotADirectoryError) as error:
        raise CannotRun(f"{python}: not a Python that can be started: {error.strerror}", 2) from None
    finally:
        for process in ranks:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a rank and everything it started: it leads a session of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait(ranks: "Sequence[subprocess.Popen[bytes]]", folder: Path, seconds: float, stop: Callable[[], bool]) -> bool:
    """Until all have left, or some have failed and the others had their grace, or it is stopped. False: time ran out."""
    deadline = time.monotonic() + seconds
    failed: float | None = None
    while any(process.poll() is None for process in ranks) and not stop():
        now = time.monotonic()
        if failed is None and any(process.poll() for process in ranks):
            failed = now
        if failed is not None and now > failed + GRACE:
            return True
        if now > deadline or sum(file.stat().st_size for file in folder.glob("said-*.txt")) > MOST_OUTPUT:
            return False
        time.sleep(0.03)
    return True


def _tail(file: Path, lines: int = 6) -> str:
    """The last lines that a rank printed."""
    try:
        text = file.read_bytes()[-20_000:].decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join([line for line in text.splitlines() if line.strip()][-lines:])


def _stands(plan: Plan, folder: Path) -> str:
    """Where each rank stood when time ran out, as far as it could say."""
    found = []
    for rank in range(plan.ranks):
        if (folder / f"result-{rank}.json").exists():
            found.append(f"rank {rank} had finished")
        elif (line := _place(plan, folder, rank)) is not None:
            found.append(f"rank {rank} stood at {plan.file.name}:{line}")
    return "; ".join(found)


def _place(plan: Plan, folder: Path, rank: int) -> str | None:
    """The line of the file in the stack that a rank wrote down, if it did; and the innermost in the file's folder if another."""
    file = json.loads((folder / "plan.json").read_text("utf-8"))["file"]
    try:
        lines = (folder / f"stand-{rank}.txt").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    at = next((index for index, line in enumerate(lines) if f'"{file}"' in line), None)
    if at is None:
        return None
    first = max((index + 1 for index in range(at) if "most recent call first" in lines[index]), default=0)
    frames = [(_own_name(name, file), line) for name, line in map(_frame, lines[first : at + 1])]
    name, line = next(frame for frame in frames if frame[0] is not None)
    return frames[-1][1] + ("" if name == Path(file).name else f" (at {name}:{line})")


def _frame(line: str) -> tuple[str, str]:
    """File and line number of a frame as faulthandler writes it."""
    name, _, rest = line.strip().removeprefix('File "').partition('", line ')
    return name, rest.partition(" ")[0]


def _own_name(name: str, file: str) -> str | None:
    """As the auditor has it (``quizapp_auditor.load.own_name``), of whose code nothing but the wire format is used here."""
    try:
        inner = Path(name).resolve().relative_to(Path(file).parent)
    except (OSError, ValueError):
        return None
    return None if set(INSTALLED) & set(inner.parts) or not inner.suffix else inner.as_posix()


def _died(plan: Plan, folder: Path, rank: int, status: int) -> str:
    """How a rank ended that left no result: by which signal, where it stood, what it printed last."""
    try:
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status} and no result"
    except ValueError:
        how = f"was ended by signal {-status}"
    place = _place(plan, folder, rank)
    where = f"{plan.file}:{place}" if place else str(plan.file)
    return f"{where}: rank {rank} {how}"


def _said(folder: Path, ranks: Sequence[int]) -> list[str]:
    """What ranks printed last, for below a message."""
    found = []
    for rank in ranks:
        if said := _tail(folder / f"said-{rank}.txt"):
            found += [f"rank {rank} printed last:", *(f"  {line}" for line in said.splitlines())]
    return found


def _calls(rank: int, fault: Mapping[str, Any]) -> list[str]:
    """The calls in the trainer's own files that led to a fault, the innermost last."""
    if fault["kind"] != "raised" or not any(function for _, _, function, _ in fault["frames"]):
        return []
    calls = [
        f"  {name}:{line}{f', in {function}' if function else ''}: {source}" for name, line, function, source in fault["frames"]
    ]
    return [f"rank {rank}, in the trainer's own files:", *calls]


def _where(plan: Plan, fault: Mapping[str, Any]) -> str:
    """The line of the person's file that a fault has, and the innermost line in the file's folder if that is another."""
    where = f"{plan.file}:{fault['line']}" if fault["line"] else str(plan.file)
    name, line = (fault["frames"] or [[plan.file.name, 0]])[-1][:2]
    return where if name == plan.file.name else f"{where} (at {name}:{line})"


def _lost_peer(fault: Mapping[str, Any]) -> bool:
    """Whether a rank failed since another left: gloo's own words for an end of its connection."""
    return "onnection" in fault["message"] and "gloo" in fault["message"].lower()


def _left_early(plan: Plan, results: Sequence[Mapping[str, Any] | None], faults: "Sequence[tuple[int, Any]]") -> str | None:
    """Which rank was done while another still waited for it, where that explains every fault."""
    done = [(rank, found) for rank, found in enumerate(results) if found and found["fault"] is None]
    if not done or not all(_lost_peer(fault) for _, fault in faults):
        return None
    (rank, fault), (other, found) = faults[0], done[0]
    steps = sum(what == "step" for what, _ in found["events"])
    after = f"{steps} optimizer step{'' if steps == 1 else 's'}"
    return f"{_where(plan, fault)}: rank {rank} waits for rank {other}, which returned before it, after {after}"


def _explained(plan: Plan, python: str, rank: int, fault: Mapping[str, Any], details: Sequence[str]) -> CannotRun:
    """What a rank's fault means for the user."""
    where = _where(plan, fault)
    said = str(fault["message"])
    match fault["kind"]:
        case "missing" if said == "torch":
            return CannotRun(f"{python} has no torch; name a Python that has it with --python PATH, or install torch there", 3)
        case "missing":
            subject = f"the adapter {plan.adapter}" if plan.adapter else where
            return CannotRun(
                f"{subject} needs {said}, which {python} doesn't have; install it there, or name another with --python PATH", 3
            )
        case "old":
            return CannotRun(f"{python} has torch {said}; an audit needs 2.1 or newer", 3)
        case "unusable":
            return CannotRun(f"{plan.name if plan.adapter else where}: {said}", 2, details)
        case _:
            return CannotRun(f"{plan.name if plan.adapter else where}: rank {rank} raised {said}", 2, details)


def run(
    plan: Plan, python: str, seconds: float = 120.0, path: Sequence[str] = (), stop: Callable[[], bool] = lambda: False
) -> "list[dict[str, Any]]":
    """Runs every rank of a plan and reads what each wrote: its result, with ``numbers`` (file name -> bytes) beside it.

    ``path``: folders to add to the ranks' import path. ``stop``: asked all the while; the ranks are ended when it says so.

    Raises:
        CannotRun: the file or the environment is at fault, time ran out, or it was stopped.
    """
    with tempfile.TemporaryDirectory(prefix="quizapp-audit-") as name:
        folder = Path(name)
        shutil.copytree(auditor(), folder / "lib" / "quizapp_auditor", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "scratch").mkdir()
        _write_plan(plan, folder)
        with _processes(plan, python, folder, path) as ranks:
            in_time = _wait(ranks, folder, seconds, stop)
            if stop():
                raise CannotRun("stopped", 2)
            if not in_time:
                _ask_where(ranks)
        results = [_result(folder, rank) for rank in range(plan.ranks)]
        faults = [(rank, found["fault"]) for rank, found in enumerate(results) if found and found["fault"]]
        lost = [rank for rank, found in enumerate(results) if found is None and (ranks[rank].returncode or 0) not in (0, -9)]
        if faults and lost and all("onnection" in fault["message"] for _, fault in faults):
            raise CannotRun(_died(plan, folder, lost[0], ranks[lost[0]].returncode), 2, _said(folder, lost[:1]))
        if faults and (left := _left_early(plan, results, faults)) is not None:
            raise CannotRun(left, 2, _said(folder, range(plan.ranks)))
        if faults:
            # A rank that lost its peers raises too; what names a line of the file, or isn't a connection's end, says more.
            first = min(faults, key=lambda entry: ("onnection" in entry[1]["message"], entry[1]["line"] is None, entry[0]))
            raise _explained(plan, python, *first, [*_calls(*first), *_said(folder, [first[0]])])
        if not in_time:
            stands = _stands(plan, folder) or "no rank could say where it stood"
            raise CannotRun(f"{plan.file}: not done after {seconds:g} s; {stands}", 2, _said(folder, range(plan.ranks)))
        for rank, found in enumerate(results):
            if found is None:
                status = ranks[rank].returncode
                said = _tail(folder / f"said-{rank}.txt")
                if "No module named" in said and plan.ranks and "torch" not in said:
                    raise CannotRun(f"{python} can't run the auditor: {said}", 3)
                raise CannotRun(_died(plan, folder, rank, status), 2, _said(folder, [rank]))
        return [found for found in results if found is not None]


def _ask_where(ranks: "Sequence[subprocess.Popen[bytes]]") -> None:
    if not hasattr(signal, "SIGUSR1"):
        return
    for process in ranks:
        if process.poll() is None:
            process.send_signal(signal.SIGUSR1)
    time.sleep(0.3)


def _write_plan(plan: Plan, folder: Path) -> None:
    file = folder / "lib" / "quizapp_auditor" / "adapters" / plan.file.name if plan.adapter else plan.file.resolve()
    module = f"quizapp_auditor.adapters.{plan.file.stem}" if plan.adapter else plan.module
    facts = {
        "file": str(file.resolve()), "module": module, "entry": plan.entry, "ranks": plan.ranks, "accumulate": plan.accumulate,
        "rows_per_microbatch": plan.rows_per_microbatch, "counts": list(plan.counts), "dtype": plan.dtype, "shift": plan.shift,
        "seed": plan.seed, "options": dict(plan.options), "scratch": str(folder / "scratch"),
    }  # fmt: skip
    (folder / "plan.json").write_text(json.dumps(facts), "utf-8")


def _result(folder: Path, rank: int) -> dict[str, Any] | None:
    """What a rank wrote, or ``None`` if it wrote nothing."""
    try:
        found: dict[str, Any] = json.loads((folder / f"result-{rank}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    names = ("terms.bin", "features.bin", "probabilities.bin") if rank == 0 else ()
    files = [folder / name for name in (*names, f"steps-{rank}.bin")]
    found["numbers"] = {file.name.removesuffix(".bin"): file.read_bytes() for file in files if file.exists()}
    return found
