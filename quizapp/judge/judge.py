"""One judgement: draw scenarios, run the submission, ask the oracle, compare, name, explain.

The outcome and the points are sealed before anything is explained; explaining never changes them.
"""

import ast
import importlib.util
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quizapp.judge import compare, names, outcome, sentence
from quizapp.judge.compare import FaultyLab
from quizapp.judge.placement import Placement, place
from quizapp.judge.runner.worker import Worker, WorkerLost, WorkerSilent
from quizapp.judge.scenario import Scenario, draw, weights
from quizapp.model.lab import Lab
from quizapp.model.verdict import Diagnosis, Outcome, Place, RankReport, ScenarioVerdict, TokenWeight, Verdict
from quizapp_sandbox import wire

MAX_SOURCE = 256 << 10
ORACLE_SECONDS = 60.0
SLACK_SECONDS = 30.0
"""Over the scenarios' own time, for forming groups on a busy machine, before a worker is given up."""
SEVERITY: Sequence[Outcome] = ("invalid", "error", "limit", "timeout", "desync", "wrong", "pass")
"""A submission's outcome is the first of these that any scenario had."""


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
class _Ran:
    scenario: Scenario
    ending: outcome.Ending
    observed: list[NDArray[np.float64]] | None
    output: str


Progress = Callable[[str], None]
Stop = Callable[[], bool]


def new_seed() -> int:
    """A seed that no submission can foresee."""
    return secrets.randbits(48)


def syntax_fault(source: str) -> tuple[str, Place] | None:
    """What keeps a file from being parsed, and where. The file is parsed, never run."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"SyntaxError: {error.msg}", Place(line=error.lineno or 1, column=error.offset)
    except (ValueError, RecursionError, MemoryError) as error:
        return f"the file can't be parsed: {error}", Place(line=1)
    return None


def _array(numbers: NDArray[Any]) -> wire.Array:
    little = np.ascontiguousarray(numbers, dtype=numbers.dtype.newbyteorder("<"))
    return wire.Array(str(numbers.dtype), tuple(numbers.shape), little.tobytes())


def _arrays(scenarios: Sequence[Scenario]) -> dict[str, wire.Array]:
    named: dict[str, wire.Array] = {}
    for index, scenario in enumerate(scenarios):
        named.update({f"{index}.*.{name}": _array(numbers) for name, numbers in scenario.shared.items()})
        for rank, own in enumerate(scenario.arrays):
            named.update({f"{index}.{rank}.{name}": _array(numbers) for name, numbers in own.items()})
    return named


def _numbers(array: wire.Array) -> NDArray[np.float64]:
    flat = np.frombuffer(array.data, dtype=np.dtype(array.dtype).newbyteorder("<"))
    return flat.astype(np.float64).reshape(array.shape)


def drive_source(lab: Lab, folder: Path) -> str | None:
    """The text of a lab's own ``drive.py``; ``None`` for a ready drive."""
    return (folder / "drive.py").read_text(encoding="utf-8") if lab.drive == "drive.py" else None


def oracle_source(lab: Lab, folder: Path) -> str:
    """The text of the lab's oracle: its own, or the ready drive's.

    Raises:
        FaultyLab: there is none.
    """
    own = folder / "oracle.py"
    if own.is_file():
        return own.read_text(encoding="utf-8")
    package = importlib.util.find_spec("quizapp_oracle")
    for location in (package.submodule_search_locations or ()) if package else ():
        ready = Path(location) / f"{lab.drive.replace('-', '_')}.py"
        if ready.is_file():
            return ready.read_text(encoding="utf-8")
    raise FaultyLab(f"the lab in {folder} has no oracle.py, and {lab.drive!r} is no ready drive")


def request_references(oracle: Worker, task: Task, scenarios: Sequence[Scenario]) -> None:
    data = {"source": oracle_source(task.lab, task.folder), "scenarios": [scenario.facts() for scenario in scenarios]}
    oracle.send(wire.Frame("reference", data, _arrays(scenarios)))


def receive_references(oracle: Worker, task: Task, scenarios: Sequence[Scenario], stop: Stop) -> list[compare.Frame]:
    """The frames of all scenarios.

    Raises:
        FaultyLab: the oracle failed or contradicts the lab's objective. WorkerLost, WorkerSilent: no answer.
    """
    answer = oracle.receive(ORACLE_SECONDS, stop)
    if answer.kind != "references":
        raise FaultyLab(f"the lab's oracle failed: {str(answer.data.get('message', answer.kind)).strip()}")
    frames = []
    for index, scenario in enumerate(scenarios):
        if scenario.probe:
            frames.append(compare.probe_frame(task.lab, scenario))
            continue
        reference, terms = (answer.arrays.get(f"{index}.{name}") for name in ("reference.gradient", "terms"))
        if reference is None or terms is None:
            raise FaultyLab(f"scenario {scenario.name}: the oracle gave no gradient or no terms")
        frames.append(compare.model_frame(task.lab, scenario, _numbers(reference), _numbers(terms)))
    return frames


def _output(texts: Sequence[object]) -> str:
    kept = [text.strip("\n") if isinstance(text, str) else "" for text in texts]
    if not any(kept):
        return ""
    if len(set(kept)) == 1:
        return kept[0]
    return "\n".join(f"rank {rank}: {line}" for rank, text in enumerate(kept) for line in text.splitlines())


def _observed(scenario: Scenario, frame: wire.Frame) -> list[NDArray[np.float64]] | None:
    """Every rank's gradient, or ``None`` where one is missing or of another shape or dtype than the model's parameters."""
    rows = []
    for rank in range(scenario.world_size):
        array = frame.arrays.get(f"{rank}.gradient")
        size = sum(len(mask) for mask in scenario.masks[rank]) if scenario.probe else scenario.shared["weight"].size
        if array is None or array.dtype != "float64" or array.shape != (size,):
            return None
        rows.append(_numbers(array))
    return rows


def _run_size(worker: Worker, task: Task, scenarios: Sequence[Scenario], placed: Placement, progress: Progress, stop: Stop) -> list[_Ran]:
    """Runs the scenarios of one world size. A worker that is lost takes the blame as the submission's outcome."""
    lab = task.lab
    data = {
        "world_size": scenarios[0].world_size,
        "collectives": placed.collectives,
        "devices": list(placed.devices),
        "entry": lab.entry,
        "filename": task.filename,
        "source": task.source,
        "drive": lab.drive,
        "drive_source": drive_source(lab, task.folder),
        "seconds": lab.limits.seconds,
        "output_bytes": lab.limits.output_bytes,
        "scenarios": [scenario.facts() for scenario in scenarios],
    }
    ran: list[_Ran] = []
    try:
        worker.send(wire.Frame("run", data, _arrays(scenarios)))
        while True:
            frame = worker.receive(lab.limits.seconds + SLACK_SECONDS, stop)
            if frame.kind == "done":
                break
            if frame.kind == "scenario" and len(ran) < len(scenarios):
                ran.append(_read(scenarios[len(ran)], frame))
                progress(f"{scenarios[0].world_size} ranks: {len(ran)} of {len(scenarios)} scenarios")
    except (WorkerLost, WorkerSilent) as error:
        lost: Outcome = "limit" if isinstance(error, WorkerLost) else "timeout"
        message = "the sandbox was brought down: memory, processes or time ran out" if lost == "limit" else "the sandbox stopped answering"
        ended = outcome.Ending(lost, message, ())
        ran.append(_Ran(scenarios[min(len(ran), len(scenarios) - 1)], ended, None, ""))
    return ran


def _read(scenario: Scenario, frame: wire.Frame) -> _Ran:
    given = [report if isinstance(report, dict) else {} for report in frame.data.get("ranks", [])]
    mismatch = frame.data.get("mismatch")
    ended = outcome.ending(str(frame.data.get("end")), given, mismatch if isinstance(mismatch, dict) else None)
    observed = None
    if ended.outcome is None:
        observed = _observed(scenario, frame)
        if observed is None:
            ended = outcome.Ending("invalid", "the gradient has another shape or dtype than the parameters", ended.ranks)
    return _Ran(scenario, ended, observed, _output(frame.data.get("output", [])))


def _token_weights(scenario: Scenario, wanted: NDArray[np.float64], given: NDArray[np.float64] | None) -> tuple[TokenWeight, ...]:
    if given is None:
        return ()
    return tuple(
        TokenWeight(
            rank=token.rank, microbatch=token.microbatch, token=token.token, valid=token.valid, wanted=float(want), given=float(got)
        )
        for token, want, got in zip(scenario.tokens, wanted, given, strict=True)
    )


def _scenario_verdict(lab: Lab, ran: _Ran, frame: compare.Frame) -> ScenarioVerdict:
    scenario = ran.scenario
    common: dict[str, Any] = {"name": scenario.name, "world_size": scenario.world_size, "counts": scenario.counts}
    if ran.observed is None:
        return ScenarioVerdict(**common, outcome=ran.ending.outcome or "invalid", message=ran.ending.message)
    error = compare.relative_error(frame, ran.observed)
    wanted = np.nan_to_num(weights(lab.objective, scenario, observer=0), nan=0.0)
    given = compare.recovered(frame, ran.observed)
    if compare.is_right(frame, lab, ran.observed):
        return ScenarioVerdict(**common, outcome="pass", max_relative_error=error, weights=_token_weights(scenario, wanted, given))
    result: Outcome = "desync" if ran.ending.mismatch else "wrong"
    message = ran.ending.mismatch or _explain(scenario, wanted, given, ran.observed)
    return ScenarioVerdict(
        **common, outcome=result, max_relative_error=error, weights=_token_weights(scenario, wanted, given), message=message
    )


def _explain(
    scenario: Scenario, wanted: NDArray[np.float64], given: NDArray[np.float64] | None, observed: Sequence[NDArray[np.float64]]
) -> str:
    if any(not np.all(np.isfinite(gradient)) for gradient in observed):
        bad = [rank for rank, gradient in enumerate(observed) if not np.all(np.isfinite(gradient))]
        kind = "NaN" if any(np.any(np.isnan(gradient)) for gradient in observed) else "infinite"
        everyone = "every rank ends" if len(bad) == scenario.world_size else f"{outcome.ranks_text(bad)} end{'s' if len(bad) == 1 else ''}"
        return f"{everyone} with {kind} gradients"
    if given is None:
        differ = any(not np.array_equal(observed[0], other) for other in observed[1:]) and not scenario.probe
        return "the ranks end with different gradients" if differ else "the gradient is no weighting of the token losses"
    return sentence.describe(scenario, wanted, given) or "the weights differ from those wanted"


def smallest(scenarios: Sequence[ScenarioVerdict]) -> ScenarioVerdict | None:
    """The failing scenario with the fewest ranks, then the fewest valid tokens; those with weights to show first."""
    failing = [scenario for scenario in scenarios if scenario.outcome != "pass"]
    return min(failing, key=lambda s: (not s.weights and s.outcome == "wrong", s.world_size, sum(map(sum, s.counts))), default=None)


def _summary(result: Outcome, task: Task, verdicts: Sequence[ScenarioVerdict], shown: ScenarioVerdict | None, named: str | None) -> str:
    if result == "pass":
        return f"Right: in all {len(verdicts)} scenarios every rank ended with the gradient that one device computes."
    failed = sum(verdict.outcome != "pass" for verdict in verdicts)
    what = shown.message if shown is not None and shown.message else result
    where = f"{shown.name}, {shown.world_size} ranks" if shown is not None else ""
    if result in ("wrong", "desync"):
        cause = f" This is {task.titles.get(named, named)}." if named else " Cause unknown."
        return f"{failed} of {len(verdicts)} scenarios fail. {where}: {what}.{cause if result == 'wrong' or named else ''}"
    return f"{what[0].upper()}{what[1:]}." if what else result


def judge(
    task: Task, worker: Worker, oracle: Worker, gpus: int, progress: Progress, stop: Stop, started: float
) -> Verdict:
    """Judges a submission that parses.

    Raises:
        FaultyLab: the lab is wrong, not the submission. Cancelled: ``stop`` said so.
    """
    lab = task.lab
    scenarios = draw(lab, task.seed)
    request_references(oracle, task, scenarios)
    ran: list[_Ran] = []
    placed = place(max(lab.world_sizes), gpus)
    for size in sorted(lab.world_sizes):
        mine = [scenario for scenario in scenarios if scenario.world_size == size]
        placed = place(size, gpus)
        ran += _run_size(worker, task, mine, placed, progress, stop)
        if ran[-1].ending.outcome in ("error", "invalid", "limit", "timeout"):
            break
    frames = dict(zip(map(id, scenarios), receive_references(oracle, task, scenarios, stop), strict=True))
    verdicts = tuple(_scenario_verdict(lab, one, frames[id(one.scenario)]) for one in ran)
    complete = len(verdicts) == len(scenarios)
    result: Outcome = next((kind for kind in SEVERITY if any(v.outcome == kind for v in verdicts)), "invalid")
    if result == "pass" and not complete:
        result = "invalid"
    points = task.points if result == "pass" else 0

    found = None
    if result in ("wrong", "desync"):
        runs = [names.Run(frames[id(one.scenario)], one.observed, verdict.outcome == "desync") for one, verdict in zip(ran, verdicts, strict=True)]
        found = names.name(lab, runs)
    shown = smallest([verdict for verdict in verdicts if verdict.outcome == result])
    diagnosis = ()
    if found is not None:
        evidence = f"its prediction matches all {len(verdicts)} scenarios"
        diagnosis = (Diagnosis(id=found.id, title=task.titles.get(found.id, found.id), evidence=evidence),)
    ranks: tuple[RankReport, ...] = ()
    if result not in ("pass", "wrong"):
        ranks = next((one.ending.ranks for one, verdict in zip(ran, verdicts, strict=True) if verdict is shown), ())
    output = next((one.output for one, verdict in zip(ran, verdicts, strict=True) if verdict is shown and one.output), "")
    return Verdict(
        outcome=result,
        points=points,
        max_points=task.points,
        seed=task.seed,
        summary=_summary(result, task, verdicts, shown, found.id if found else None),
        diagnosis=diagnosis,
        scenarios=verdicts,
        counterexample=shown,
        ranks=ranks,
        output=(output or next((one.output for one in ran if one.output), ""))[:16_384],
        backend="docker" if worker.sandbox == "container" else "local",
        sandbox=worker.sandbox,
        device=placed.device,
        collectives=placed.collectives,
        milliseconds=round((time.monotonic() - started) * 1000, 1),
    )
