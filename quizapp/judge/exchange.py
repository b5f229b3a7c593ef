"""Talking to workers: scenarios out, references and observations back. Whatever a submission worker says is checked here."""

import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quizapp.judge import outcome
from quizapp.judge.expect import Expected, FaultyLab, Observed, probe, with_model
from quizapp.judge.placement import Placement
from quizapp.judge.runner.worker import Worker, WorkerLost, WorkerSilent
from quizapp.judge.scenario import Scenario
from quizapp.model.lab import READY_DRIVES, Lab, Limits
from quizapp.model.verdict import Outcome
from quizapp_sandbox import wire

ORACLE_SECONDS = 60.0
SLACK_SECONDS = 30.0
"""Over the scenarios' own time, for forming groups on a busy machine, before a worker is given up."""


Progress = Callable[[str], None]
Stop = Callable[[], bool]


@dataclass(frozen=True)
class Task:
    """What is judged."""

    lab: Lab
    folder: Path
    source: str
    filename: str
    points: int
    titles: Mapping[str, str]
    seed: int


@dataclass(frozen=True)
class Ran:
    """One scenario's end: its outcome if that is decided, else what each rank ended with, yet to be compared."""

    scenario: Scenario
    ending: outcome.Ending
    observed: tuple[Observed, ...] | None = None
    output: str = ""


def _array(numbers: NDArray[Any]) -> wire.Array:
    little = np.ascontiguousarray(numbers, dtype=numbers.dtype.newbyteorder("<"))
    return wire.Array(str(numbers.dtype), tuple(numbers.shape), little.tobytes())


def _numbers(array: wire.Array) -> NDArray[np.float64]:
    flat = np.frombuffer(array.data, dtype=np.dtype(array.dtype).newbyteorder("<"))
    return flat.astype(np.float64).reshape(array.shape)


def _arrays(scenarios: Sequence[Scenario]) -> dict[str, wire.Array]:
    named: dict[str, wire.Array] = {}
    for index, scenario in enumerate(scenarios):
        named.update({f"{index}.*.{name}": _array(numbers) for name, numbers in scenario.shared.items()})
        for rank, own in enumerate(scenario.arrays):
            named.update({f"{index}.{rank}.{name}": _array(numbers) for name, numbers in own.items()})
    return named


def drive_source(lab: Lab, folder: Path) -> str | None:
    """The text of a lab's own ``drive.py``; ``None`` for a ready drive."""
    return (folder / "drive.py").read_text(encoding="utf-8") if lab.drive == "drive.py" else None


def counterpart_source(folder: Path) -> str | None:
    """The text of a lab's ``counterpart.py``, which no rank is shown; ``None`` for a lab without one."""
    file = folder / "counterpart.py"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def oracle_source(lab: Lab, folder: Path) -> str:
    """The text of the lab's oracle: its own, or the ready drive's.

    Raises:
        FaultyLab: there is none.
    """
    own = folder / "oracle.py"
    if own.is_file():
        return own.read_text(encoding="utf-8")
    if lab.drive not in READY_DRIVES:
        raise FaultyLab(f"the lab in {folder} has no oracle.py, and {lab.drive!r} is no ready drive with one")
    package = importlib.util.find_spec("quizapp_oracle")
    for location in (package.submodule_search_locations or ()) if package else ():
        return (Path(location) / "token_mean.py").read_text(encoding="utf-8")
    raise FaultyLab("the package quizapp_oracle isn't installed beside quizapp; install quizapp again")


def request_references(oracle: Worker, task: Task, scenarios: Sequence[Scenario]) -> None:
    """Asks the oracle for everything about the scenarios; :func:`receive_references` takes the answer."""
    data = {"source": oracle_source(task.lab, task.folder), "scenarios": [scenario.facts() for scenario in scenarios]}
    oracle.send(wire.Frame("reference", data, _arrays(scenarios)))


def _by_rank(arrays: Mapping[str, NDArray[np.float64]], prefix: str, world_size: int) -> tuple[Observed, ...]:
    """Arrays ``<prefix><rank or *>.<name>`` as one mapping for each rank."""
    own: list[dict[str, NDArray[np.float64]]] = [{} for _ in range(world_size)]
    for key, array in arrays.items():
        if key.startswith(prefix):
            rank, _, name = key.removeprefix(prefix).partition(".")
            for index in range(world_size) if rank == "*" else (int(rank),):
                own[index][name] = array
    return tuple(own)


def receive_references(oracle: Worker, task: Task, scenarios: Sequence[Scenario], stop: Stop) -> list[Expected]:
    """The references of all scenarios.

    Raises:
        FaultyLab: the oracle failed or contradicts the lab's objective. WorkerLost, WorkerSilent: no answer.
    """
    answer = oracle.receive(ORACLE_SECONDS, stop)
    if answer.kind != "references":
        raise FaultyLab(f"the lab's oracle failed: {str(answer.data.get('message', answer.kind)).strip()}")
    arrays = {name: _numbers(array) for name, array in answer.arrays.items()}
    found = []
    for index, scenario in enumerate(scenarios):
        if scenario.probe:
            found.append(probe(task.lab, scenario))
            continue
        size = scenario.world_size
        predictions: dict[str, list[tuple[Observed, ...]]] = {}
        for position, identifier in enumerate(answer.data.get("predictions", [])):
            predictions.setdefault(str(identifier), []).append(_by_rank(arrays, f"{index}.prediction.{position}.", size))
        reference = _by_rank(arrays, f"{index}.reference.", size)
        terms, wanted = arrays.get(f"{index}.terms"), arrays.get(f"{index}.wanted")
        found.append(with_model(task.lab, scenario, reference, terms, wanted, predictions))
    return found


def _printed(texts: object) -> str:
    kept = (
        [outcome.printable(text).strip("\n") if isinstance(text, str) else "" for text in texts] if isinstance(texts, list) else []
    )
    if not any(kept):
        return ""
    if len(set(kept)) == 1:
        return kept[0]
    return "\n".join(f"rank {rank}: {line}" for rank, text in enumerate(kept) for line in text.splitlines())


def _read(scenario: Scenario, frame: wire.Frame, limits: Limits) -> Ran:
    listed = frame.data.get("ranks")
    given = [report if isinstance(report, dict) else {} for report in listed] if isinstance(listed, list) else []
    given = (given + [{}] * scenario.world_size)[: scenario.world_size]
    mismatch, crossing = (told if isinstance(told := frame.data.get(name), dict) else None for name in ("mismatch", "crossing"))
    ended = outcome.ending(str(frame.data.get("end")), given, mismatch, crossing, limits)
    printed = _printed(frame.data.get("output"))
    if ended.outcome is not None:
        return Ran(scenario, ended, None, printed)
    # The rank in an array's name is the agent's; the rest of it, and the numbers, are the submission's word.
    numbers = {name: _numbers(array) for name, array in frame.arrays.items() if name.partition(".")[0] in ranks_of(scenario)}
    return Ran(scenario, ended, _by_rank(numbers, "", scenario.world_size), printed)


def ranks_of(scenario: Scenario) -> frozenset[str]:
    """The ranks' numbers as text."""
    return frozenset(map(str, range(scenario.world_size)))


def shaped_as_wanted(observed: Sequence[Observed], expected: Expected) -> str | None:
    """What is wrong with the arrays' names or shapes; ``None`` where they are as the reference's."""
    for rank, own in enumerate(observed):
        for name, wanted in expected.reference[rank].items():
            if name not in own:
                return f"rank {rank} gave no {name}"
            if own[name].shape != wanted.shape:
                return f"rank {rank}'s {name} has shape {list(own[name].shape)}; wanted is {list(wanted.shape)}"
        if own.keys() != expected.reference[rank].keys():
            return f"rank {rank} gave arrays that were not asked for"
    return None


def run_size(
    worker: Worker,
    task: Task,
    scenarios: Sequence[Scenario],
    placed: Placement,
    progress: Progress,
    stop: Stop,
    *,
    until: float,
    again: bool,
) -> list[Ran]:
    """Runs the scenarios of one world size. A worker that is lost takes the blame as the submission's outcome.

    Args:
        until: when, by the monotonic clock, the time for all scenarios together is up.
        again: the worker has run this very submission already, and nothing else since.
    """
    lab = task.lab
    size = scenarios[0].world_size
    data = {
        "world_size": size,
        "collectives": placed.collectives,
        "devices": list(placed.devices),
        "entry": lab.entry,
        "signature": lab.signature,
        "filename": task.filename,
        "source": task.source,
        "drive": lab.drive,
        "drive_source": drive_source(lab, task.folder),
        "counterpart_source": counterpart_source(task.folder),
        "again": again,
        "seconds": lab.limits.seconds,
        "total_seconds": max(0.0, until - time.monotonic()),
        "output_bytes": lab.limits.output_bytes,
        "scenarios": [scenario.facts() for scenario in scenarios],
    }
    ran: list[Ran] = []
    try:
        # Ranks that stood ready may be gone; those that take their place must not be forked from an agent that holds all inputs.
        worker.send(wire.Frame("form", {name: data[name] for name in ("world_size", "collectives", "devices", "again")}))
        worker.send(wire.Frame("run", data, _arrays(scenarios)))
        while True:
            frame = worker.receive(lab.limits.seconds + SLACK_SECONDS, stop)
            if frame.kind == "done":
                break
            if frame.kind == "scenario" and len(ran) < len(scenarios):
                ran.append(_read(scenarios[len(ran)], frame, lab.limits))
                progress(f"{size} ranks: {len(ran)} of {len(scenarios)} scenarios")
    except (WorkerLost, WorkerSilent) as error:
        worker.close()
        lost: Outcome = "limit" if isinstance(error, WorkerLost) else "timeout"
        why = "the sandbox ran out of memory or processes" if lost == "limit" else "the sandbox stopped answering"
        ran.append(Ran(scenarios[min(len(ran), len(scenarios) - 1)], outcome.Ending(lost, why, ())))
    return ran
