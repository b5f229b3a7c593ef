"""One judgement: draw scenarios, run the submission, ask the oracle, compare, name, explain.

The outcome and the points are sealed before anything is explained; explaining never changes them.
"""

import ast
import secrets
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quizapp.judge import names, sentence
from quizapp.judge.exchange import Progress, Ran, Stop, Task, receive_references, request_references, run_size, shaped_as_wanted
from quizapp.judge.expect import GRADIENTS, Expected, Observed, is_right, ranks_agree, recovered, relative_error, token_weights
from quizapp.judge.outcome import everyone_came
from quizapp.judge.placement import Placement, place
from quizapp.judge.runner.worker import Worker
from quizapp.judge.scenario import Floats, Scenario, draw
from quizapp.judge.shrink import RANKS, small_scenarios
from quizapp.model.figures import CLOSE
from quizapp.model.lab import LabMisconception
from quizapp.model.verdict import Diagnosis, Outcome, Place, RankReport, ScenarioVerdict, TokenWeight, Verdict

MAX_SOURCE = 256 << 10
MAX_OUTPUT = 16_384
SHRINK_SECONDS = 20.0
"""For finding a smaller failing scenario; with none found by then, the smallest of those run is shown."""
CLEAR, FAINT = 0.2, 0.01
"""Relative errors from which on two numbers are seen to differ at a glance, and below which they look alike."""
MOST_BY_RANK = 96
"""Positions times ranks up to which each rank's own weights are told."""
TOGETHER = 4
"""Small scenarios that are run at once, to see whether one fails."""
SEVERITY: Sequence[Outcome] = ("invalid", "error", "limit", "timeout", "desync", "wrong", "pass")
"""A submission's outcome is the first of these that any scenario had."""
FINAL: frozenset[Outcome] = frozenset(("invalid", "error", "limit", "timeout"))
"""Outcomes after which larger world sizes tell nothing new. Nor do they after ranks that parted ways in every scenario."""
ONE_CALL = "A collective is one call that every rank must make, in the same order as the others."


@dataclass(frozen=True)
class Workers:
    """Who does the work, and what the submission worker has."""

    submission: Worker
    oracle: Worker
    gpus: int


@dataclass(frozen=True)
class _Compared:
    ran: Ran
    expected: Expected
    verdict: ScenarioVerdict
    given: Floats | None = None


def new_seed() -> int:
    """A seed that no submission can foresee."""
    return secrets.randbits(48)


def syntax_fault(source: str) -> tuple[str, Place] | None:
    """What keeps a file from being a program, and where. The file is parsed, never run."""
    if source.lstrip().startswith("{") and '"nbformat"' in source and '"cells"' in source:
        return "this is a notebook; export it as a Python file (.py) and submit that", Place(line=1)
    try:
        with warnings.catch_warnings():  # on a terminal they would stand in the middle of the app
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        return f"SyntaxError: {error.msg}", Place(line=error.lineno or 1, column=error.offset)
    except (RecursionError, MemoryError):
        return "the file can't be parsed: it is nested too deeply", Place(line=1)
    except ValueError as error:
        return f"the file can't be parsed: {error}", Place(line=1)
    return None


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _counts(given: Floats) -> NDArray[np.bool_]:
    """Where weights are more than rounding."""
    return np.asarray(np.abs(given) > CLOSE * np.abs(given).max(initial=0.0))


def weights_by_rank(expected: Expected, observed: Sequence[Observed]) -> tuple[tuple[TokenWeight, ...], ...]:
    """Of ranks that ended with different gradients, the weights in each one's; all have the same tokens in the same order."""
    few = len(expected.scenario.tokens) * len(observed) <= MOST_BY_RANK
    if expected.terms is None or expected.scenario.probe or not few or ranks_agree(expected, observed):
        return ()
    if not all(np.all(np.isfinite(own[GRADIENTS])) for own in observed):
        return ()
    each = [given for own in observed if (given := token_weights(expected, own[GRADIENTS])) is not None]
    if len(each) < len(observed):
        return ()
    counts = np.any([_counts(given) for given in each], axis=0)
    return tuple(_token_weights(expected, given, counts) for given in each)


def _token_weights(expected: Expected, given: Floats | None, counts: NDArray[np.bool_] | None = None) -> tuple[TokenWeight, ...]:
    """Each token's weight in the step of its own window, and in any other step where it ``counts``."""
    if given is None or expected.wanted is None:
        return ()
    counts = _counts(given) if counts is None else counts
    return tuple(
        TokenWeight(
            rank=token.rank,
            microbatch=token.microbatch,
            token=token.token,
            valid=token.valid,
            wanted=float(expected.wanted[step, index]),
            given=_finite(float(given[step, index])),
            step=step,
        )
        for step in range(len(given))
        for index, token in enumerate(expected.scenario.tokens)
        if step == token.window or counts[step, index]
    )


def _compare(ran: Ran, expected: Expected) -> _Compared:
    scenario = ran.scenario
    common: dict[str, Any] = {
        "name": scenario.name,
        "world_size": scenario.world_size,
        "counts": scenario.counts,
        "size": expected.size,
        "unit": expected.unit,
        "steps": scenario.windows if len(scenario.windows) > 1 else (),
        "listing": expected.listing,
        "other_terms": tuple(term.called for term in expected.other_terms),
    }
    if ran.observed is None:
        empty = sentence.ranks_without(scenario) if ran.ending.outcome == "desync" and not expected.size else None
        message = "; ".join(filter(None, (ran.ending.message, empty)))
        verdict = ScenarioVerdict(**common, outcome=ran.ending.outcome or "invalid", message=message or None)
        return _Compared(ran, expected, verdict)
    if (fault := shaped_as_wanted(ran.observed, expected)) is not None:
        return _Compared(ran, expected, ScenarioVerdict(**common, outcome="invalid", message=fault))
    error = relative_error(expected, ran.observed)
    given = recovered(expected, ran.observed)
    weights = _token_weights(expected, given)
    if is_right(expected, ran.observed):
        # What collectives that don't pair up leave behind is the transport's affair: right here, something else on the next one.
        unpaired = ran.ending.mismatch and f"{ran.ending.mismatch}; that the numbers are right is luck"
        how: dict[str, Any] = {"outcome": "desync" if unpaired else "pass", "message": unpaired}
        return _Compared(ran, expected, ScenarioVerdict(**common, **how, max_relative_error=error, weights=weights), given)
    outcome: Outcome = "desync" if ran.ending.mismatch else "wrong"
    message = ran.ending.mismatch or "; ".join(filter(None, (sentence.explain(expected, ran.observed), ran.ending.crossing)))
    apart = () if given is not None else weights_by_rank(expected, ran.observed)
    verdict = ScenarioVerdict(
        **common, outcome=outcome, max_relative_error=error, weights=weights, weights_by_rank=apart, message=message
    )
    return _Compared(ran, expected, verdict, given)


def most_telling(scenarios: Sequence[ScenarioVerdict]) -> ScenarioVerdict | None:
    """The failing scenario whose weights show most: something valid in it, ranks or positions treated differently, a model
    behind it, nothing empty, few tokens. Where there are no weights, few ranks; values that are nearly right tell less, and so
    does an empty rank or no more tokens than ranks, unless the ranks part ways there."""

    def shades(one: ScenarioVerdict) -> int:
        return len({round(w.given / w.wanted, 9) for w in one.weights if w.given is not None and w.wanted})

    weighed = any(one.weights for one in scenarios)

    def order(one: ScenarioVerdict) -> tuple[float, ...]:
        valid = sum(map(sum, one.counts))
        edge = one.outcome != "desync" and one.at_the_edge
        if weighed:
            return valid == 0, shades(one) < 2, one.name == "probe", edge, one.world_size, valid
        error = np.inf if one.max_relative_error is None else one.max_relative_error
        return valid == 0, one.world_size, edge + (error < CLEAR) + 2 * (error < FAINT), edge, valid

    return min(scenarios, key=order, default=None)


def _factor(compared: Sequence[_Compared]) -> str | None:
    """What usually causes the one factor that all wrong scenarios share."""
    factors = []
    for one in compared:
        if one.verdict.outcome == "wrong":
            if one.given is None or one.expected.wanted is None:
                return None
            factor = sentence.common_factor(one.expected.scenario, one.expected.wanted, one.given)
            if factor is None:
                return None
            factors.append((one.expected.scenario, factor))
    return sentence.factor_cause(factors) if factors else None


def _summary(
    outcome: Outcome,
    task: Task,
    compared: Sequence[_Compared],
    drawn: int,
    shown: ScenarioVerdict | None,
    found: LabMisconception | None,
) -> str:
    """``drawn``: how many scenarios there would be. ``shown``: the one that it speaks of."""
    if outcome == "pass":
        what = "gradient that one device computes" if task.lab.observation == "gradients" else "values that one device computes"
        return f"Right: in all {len(compared)} scenarios every rank ended with the {what}."
    verdicts = [one.verdict for one in compared]
    what = (shown.message if shown is not None else None) or outcome
    if outcome in ("wrong", "desync") and shown is not None:
        failed = sum(verdict.outcome != "pass" for verdict in verdicts)
        cause = " Cause unknown." if outcome == "wrong" else ""
        if found is not None:
            cause = f" What happened: {task.titles.get(found.id, found.id).rstrip('.')}."
        elif outcome == "wrong" and (factor := _factor(compared)) is not None:
            cause = f" {factor}."
        if outcome == "desync":
            unpaired = any(one.verdict is shown and one.ran.ending.mismatch for one in compared)
            cause += f" {ONE_CALL}" if unpaired else " No rank is left that could make the calls they wait for."
        many = f"All {failed} scenarios fail" if failed == len(verdicts) > 1 else f"{failed} of {len(verdicts)} scenarios fail"
        return f"{many}{'s' if failed == 1 else ''}. With {shown.called}: {what}.{cause}"
    spent = any(one.verdict is shown and one.ran.ending.all_spent for one in compared)
    if shown is None or (shown is verdicts[0] and not spent):
        return f"{what[0].upper()}{what[1:].rstrip('.')}."
    said = f"With {shown.world_size} ranks, {shown.name}: {what.rstrip('.')}."
    if spent:
        done = sum(one.ran.observed is not None for one in compared)
        said += f" Done by then: {done} of {drawn} scenarios, each of which should take a fraction of a second."
    return said


def _run_all(
    task: Task, scenarios: Sequence[Scenario], workers: Workers, progress: Progress, stop: Stop
) -> tuple[list[Ran], Placement]:
    ran: list[Ran] = []
    placed = place(max(scenario.world_size for scenario in scenarios), workers.gpus)
    until = time.monotonic() + task.lab.limits.in_all
    for size in sorted({scenario.world_size for scenario in scenarios}):
        placed = place(size, workers.gpus)
        chosen = [scenario for scenario in scenarios if scenario.world_size == size]
        ran += run_size(workers.submission, task, chosen, placed, progress, stop, until=until, again=bool(ran))
        if any(one.ending.outcome in FINAL for one in ran) or all(one.ending.outcome == "desync" for one in ran):
            break
    return ran, placed


def _smallest(
    task: Task, workers: Workers, failing: Sequence[ScenarioVerdict], named: LabMisconception | None, stop: Stop
) -> ScenarioVerdict | None:
    """The smallest failing scenario: of two ranks and three tokens at most where one fails, else the smallest of those run."""
    outcome = failing[0].outcome
    dim = outcome == "wrong" and not any(s.weights for s in failing)
    fallback = min(
        failing,
        key=lambda s: (outcome == "wrong" and not s.weights, dim and s.at_the_edge, s.world_size, sum(map(sum, s.counts))),
    )
    if outcome not in ("wrong", "desync") or RANKS not in task.lab.world_sizes or not workers.submission.is_usable:
        return fallback
    scenarios = small_scenarios(task.lab, task.seed, named)
    # The smallest come first, and the rest are left when one fails. Ranks that hang are started anew for the next scenario.
    together = 1 if outcome == "desync" else TOGETHER
    until = time.monotonic() + SHRINK_SECONDS
    for start in range(0, len(scenarios), together):
        if time.monotonic() > until:
            break
        tried = scenarios[start : start + together]
        request_references(workers.oracle, task, tried)
        placed = place(RANKS, workers.gpus)
        ran = run_size(workers.submission, task, tried, placed, lambda _: None, stop, until=until, again=True)
        expected = receive_references(workers.oracle, task, tried, stop)
        verdicts = (_compare(one, its).verdict for one, its in zip(ran, expected, strict=False))
        found = next((verdict for verdict in verdicts if verdict.outcome == outcome), None)
        if found is not None or not workers.submission.is_usable:
            return found or fallback
    return fallback


def judge(task: Task, workers: Workers, progress: Progress, stop: Stop, started: float) -> Verdict:
    """Judges a submission that parses.

    Raises:
        FaultyLab: the lab is wrong, not the submission. Cancelled: ``stop`` said so.
    """
    scenarios = draw(task.lab, task.seed)
    request_references(workers.oracle, task, scenarios)
    ran, placed = _run_all(task, scenarios, workers, progress, stop)
    expected = {id(one.scenario): one for one in receive_references(workers.oracle, task, scenarios, stop)}
    compared = [_compare(one, expected[id(one.scenario)]) for one in ran]
    verdicts = tuple(one.verdict for one in compared)
    outcome: Outcome = next((kind for kind in SEVERITY if any(v.outcome == kind for v in verdicts)), "invalid")
    if outcome == "pass" and len(verdicts) != len(scenarios):
        outcome = "invalid"
    points = task.points if outcome == "pass" else 0

    found = None
    if outcome in ("wrong", "desync"):
        runs = [
            names.Run(
                one.expected,
                one.ran.observed,
                one.verdict.outcome == "desync",
                everyone_came(one.ran.ending, [other.ran.ending for other in compared]),
            )
            for one in compared
        ]
        found = names.name(task.lab, runs)
    diagnosis: tuple[Diagnosis, ...] = ()
    if found is not None:
        title = task.titles.get(found.id, found.id)
        diagnosis = (
            Diagnosis(
                id=found.id,
                title=title,
                evidence=f"in all {len(verdicts)} scenarios your code gave just what this mistake gives",
            ),
        )
    failing = [verdict for verdict in verdicts if verdict.outcome == outcome]
    shown = None if outcome == "pass" else most_telling(failing)
    blamed = next((one.ran for one in compared if one.verdict is shown), None)
    ranks: tuple[RankReport, ...] = blamed.ending.ranks if blamed is not None and outcome not in ("pass", "wrong") else ()
    printed = [one.output for one in ([blamed] if blamed else []) + ran if one.output]
    progress("looking for the smallest failing case")
    return Verdict(
        outcome=outcome,
        points=points,
        max_points=task.points,
        seed=task.seed,
        summary=_summary(outcome, task, compared, len(scenarios), shown, found),
        diagnosis=diagnosis,
        scenarios=verdicts,
        counterexample=_smallest(task, workers, failing, found, stop) if failing and outcome != "pass" else None,
        ranks=ranks,
        output=printed[0][:MAX_OUTPUT] if printed else "",
        backend="docker" if workers.submission.sandbox == "container" else "local",
        sandbox=workers.submission.sandbox,
        device=placed.device,
        collectives=placed.collectives,
        milliseconds=round((time.monotonic() - started) * 1000, 1),
    )
