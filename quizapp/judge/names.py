"""Naming the wrong idea behind wrong numbers: a prediction must match every scenario, or no name is given.

A name is given only where at least two scenarios tell it from the right answer and from every other idea.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quizapp.judge.expect import Expected, Observed, agrees, is_right
from quizapp.judge.scenario import SEPARATING_SCENARIOS, apart
from quizapp.model.formula import Formula, UndefinedValue
from quizapp.model.lab import Lab, LabMisconception, WeightRule


@dataclass(frozen=True)
class Run:
    """A scenario that was run: what each rank ended with, or ``None`` where the ranks parted ways."""

    expected: Expected
    observed: Sequence[Observed] | None
    desync: bool = False
    everyone_came: bool = False
    """The ranks parted ways in a call that all of them made: ideas foretell ranks that are missing."""


@dataclass(frozen=True)
class _Idea:
    """One way in which a misconception may show. ``wrong`` is ``None`` for the right answer."""

    wrong: LabMisconception | None
    rule: WeightRule | None = None
    function: int | None = None
    """Which of the oracle's functions for this misconception."""


_RIGHT = _Idea(None)


def _parts_ways(idea: _Idea, run: Run) -> bool:
    if idea.wrong is not None and idea.function is not None:
        foretold = run.expected.predictions.get(idea.wrong.id, ())
        if idea.function < len(foretold) and not any(foretold[idea.function]):
            return True
    if idea.wrong is None or idea.wrong.desync is None:
        return False
    scenario = run.expected.scenario
    if scenario.probe and idea.rule is None:
        # No backward is shared in a probe, so an idea that skips only the backward may pass it; either is consistent.
        return run.desync
    formula = Formula.parse(idea.wrong.desync)
    try:
        return any(formula.holds(scenario.values(0, k)) for k in range(len(scenario.window_of)))
    except UndefinedValue:
        return False


def _predicted(idea: _Idea, run: Run) -> tuple[list[Observed], list[Observed]]:
    """What every rank ends with, and the magnitudes. Raises ``KeyError`` where the idea says nothing of this scenario."""
    expected = run.expected
    ranks = range(expected.scenario.world_size)
    if idea.rule is not None:
        pairs = [expected.predicted(idea.rule, rank) for rank in ranks]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if idea.function is not None and idea.wrong is not None:
        foretold = expected.predictions[idea.wrong.id][idea.function]
        return list(foretold), [{name: np.abs(np.nan_to_num(array)) for name, array in own.items()} for own in foretold]
    return list(expected.reference), [expected.magnitude(rank) for rank in ranks]


def _fits(idea: _Idea, run: Run) -> bool:
    if run.desync != _parts_ways(idea, run):
        return False
    if run.desync:
        return not run.everyone_came
    if run.observed is None:
        return False
    return agrees(run.expected, run.observed, *_predicted(idea, run))


def _distinguishes(run: Run, a: _Idea, b: _Idea) -> bool:
    """Whether two ideas predict different things for a scenario."""
    ways = _parts_ways(a, run), _parts_ways(b, run)
    if any(ways):
        return ways[0] != ways[1]

    def differ(mine: Observed, theirs: Observed) -> bool:
        if mine.keys() != theirs.keys():
            return True
        return any(apart(array, theirs[name], run.expected.tolerance) for name, array in mine.items())

    return any(differ(mine, theirs) for mine, theirs in zip(_predicted(a, run)[0], _predicted(b, run)[0], strict=True))


def _ideas(lab: Lab, runs: Sequence[Run]) -> list[_Idea]:
    found = []
    for wrong in lab.misconceptions:
        functions = min(len(run.expected.predictions.get(wrong.id, ())) for run in runs)
        found += [_Idea(wrong, rule) for rule in wrong.weights]
        found += [_Idea(wrong, function=index) for index in range(functions)]
        if wrong.desync is not None and not wrong.weights and not functions:
            found.append(_Idea(wrong))
    return found


def name(lab: Lab, runs: Sequence[Run]) -> LabMisconception | None:
    """The one misconception whose prediction matches every run, if it can be told from all others; else ``None``."""
    if not runs or all(not run.desync and run.observed is not None and is_right(run.expected, run.observed) for run in runs):
        return None
    ideas = _ideas(lab, runs)
    fitting = [idea for idea in ideas if all(_fits(idea, run) for run in runs)]
    if len({idea.wrong.id for idea in fitting if idea.wrong is not None}) != 1:
        return None
    best = fitting[0]
    others = [idea for idea in ideas if idea.wrong is not None and best.wrong is not None and idea.wrong.id != best.wrong.id]
    for other in (_RIGHT, *others):
        told = sum(_distinguishes(run, best, other) for run in runs)
        if told < SEPARATING_SCENARIOS and (told or other is _RIGHT):
            return None
    return best.wrong
