"""Naming the wrong idea behind wrong numbers: a prediction must match every scenario, or no name is given.

A name is given only where at least two scenarios tell it from the right answer and from every other idea.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quizapp.judge.compare import Frame, is_right, matches
from quizapp.judge.scenario import SEPARATING_SCENARIOS, Floats, apart, weights
from quizapp.model.formula import Formula, UndefinedValue
from quizapp.model.lab import Lab, LabMisconception, WeightRule

Observed = Sequence[Floats]


@dataclass(frozen=True)
class Run:
    """A scenario that was run: what each rank ended with, or ``None`` where the ranks parted ways."""

    frame: Frame
    observed: Observed | None
    desync: bool = False


@dataclass(frozen=True)
class _Candidate:
    wrong: LabMisconception
    rule: WeightRule | None
    """``None``: right wherever the ranks stay together."""


def _parts_ways(candidate: _Candidate, run: Run) -> bool:
    if candidate.wrong.desync is None:
        return False
    scenario = run.frame.scenario
    if scenario.probe and candidate.rule is None:
        # No backward is shared in a probe, so an idea that skips only the backward may pass it; either is consistent.
        return run.desync
    try:
        return Formula.parse(candidate.wrong.desync).holds(scenario.values(scenario.tokens[0], 0))
    except UndefinedValue:
        return False


def _fits(candidate: _Candidate, run: Run, lab: Lab) -> bool:
    if run.desync != _parts_ways(candidate, run):
        return False
    if run.desync:
        return True
    if run.observed is None:
        return False
    if candidate.rule is None:
        return is_right(run.frame, lab, run.observed)
    for rank, gradient in enumerate(run.observed):
        predicted, magnitude = run.frame.predicted(candidate.rule, rank)
        if not matches(gradient, predicted, magnitude, run.frame.tolerance):
            return False
    return True


def _distinguishes(run: Run, a: _Candidate, b: _Candidate | None, lab: Lab) -> bool:
    """Whether two ideas, or an idea and the right answer, predict different things for a scenario."""
    ways = _parts_ways(a, run), b is not None and _parts_ways(b, run)
    if ways[0] or ways[1]:
        return ways[0] != ways[1]
    scenario = run.frame.scenario
    rules = (a.rule or lab.objective, (b.rule if b is not None else None) or lab.objective)
    return any(
        apart(*(weights(rule, scenario, rank) for rule in rules), tolerance=run.frame.tolerance) for rank in range(scenario.world_size)
    )


def _candidates(lab: Lab) -> list[_Candidate]:
    found = []
    for wrong in lab.misconceptions:
        found += [_Candidate(wrong, rule) for rule in wrong.weights]
        if wrong.desync is not None and not wrong.weights:
            found.append(_Candidate(wrong, None))
    return found


def name(lab: Lab, runs: Sequence[Run]) -> LabMisconception | None:
    """The one misconception whose prediction matches every run, if it can be told from all others; else ``None``."""
    if not runs or all(not run.desync and run.observed is not None and is_right(run.frame, lab, run.observed) for run in runs):
        return None
    candidates = _candidates(lab)
    fitting = [candidate for candidate in candidates if all(_fits(candidate, run, lab) for run in runs)]
    if len({candidate.wrong.id for candidate in fitting}) != 1:
        return None
    best = fitting[0]
    if sum(_distinguishes(run, best, None, lab) for run in runs) < SEPARATING_SCENARIOS:
        return None
    for other in candidates:
        if other.wrong.id == best.wrong.id or all(not _distinguishes(run, best, other, lab) for run in runs):
            continue
        if sum(_distinguishes(run, best, other, lab) for run in runs) < SEPARATING_SCENARIOS:
            return None
    return best.wrong


