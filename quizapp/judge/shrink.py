"""The smallest scenario that still fails: at most two ranks and three valid tokens. Explains; never changes a verdict."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from quizapp.judge.scenario import Scenario, apart, feature_width, fill, weights
from quizapp.judge.tolerance import tolerance
from quizapp.model.formula import Formula, UndefinedValue
from quizapp.model.lab import Lab, LabMisconception, WeightRule

RANKS = 2
MOST_TOKENS = 3
TRIED = 24
"""Scenarios that are run where nothing foretells which will fail."""
CONFIRMED = 2
"""Scenarios that are run to confirm the prediction of a single rule."""


def _layouts(windows: Sequence[int]) -> Iterator[list[list[int]]]:
    """Valid tokens per microbatch and rank, fewest tokens first."""
    cells = sum(windows) * RANKS
    for total in range(MOST_TOKENS + 1):
        yield from (_shaped(counts) for counts in _compositions(total, cells))


def _shaped(counts: Sequence[int]) -> list[list[int]]:
    return [list(counts[index : index + RANKS]) for index in range(0, len(counts), RANKS)]


def _compositions(total: int, cells: int) -> Iterator[tuple[int, ...]]:
    if cells == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _compositions(total - first, cells - 1):
            yield (first, *rest)


def _desyncs(named: LabMisconception, scenario: Scenario) -> bool:
    try:
        formula = Formula.parse(named.desync or "0")
        return any(formula.holds(scenario.values(0, k)) for k in range(len(scenario.window_of)))
    except UndefinedValue:
        return False


def _foretold(lab: Lab, named: LabMisconception, bare: Sequence[Scenario]) -> list[Scenario]:
    """The first scenarios for which the misconception foretells something else than the objective, as far as formulas say; for
    each of its rules at least one, since any of them may be the one at work, and they need not fail in the same places."""
    if named.desync is not None:
        return list(islice((scenario for scenario in bare if _desyncs(named, scenario)), CONFIRMED))
    if lab.objective is None:
        return list(bare[:CONFIRMED])
    objective, relative = lab.objective, tolerance(feature_width(lab))

    def fails(rule: WeightRule, scenario: Scenario) -> bool:
        wanted = weights(objective, scenario, 0)
        return any(apart(weights(rule, scenario, rank), wanted, relative) for rank in range(RANKS))

    chosen: set[int] = set()
    for rule in named.weights:
        failing = (index for index, scenario in enumerate(bare) if fails(rule, scenario))
        chosen.update(islice(failing, CONFIRMED if len(named.weights) == 1 else 1))
    return [bare[index] for index in sorted(chosen)]


def _telling_first(lab: Lab, bare: Sequence[Scenario]) -> list[Scenario]:
    """Of scenarios with equally many tokens those first that have some in a short last window: whether its step comes at all shows
    in the weight of a token only where it holds one. Where no weights are shown, those with an empty rank come last, and before
    them those whose ranks hold equally many, if ranks are told apart: their values alone don't say what is the matter."""

    def dim(one: Scenario) -> int:
        held = [sum(row) for row in one.counts]
        if lab.observation == "gradients":
            return 0
        return 2 if 0 in held else int("{total}" not in lab.size and len(set(held)) == 1)

    def order(one: Scenario) -> tuple[bool, int, int, bool]:
        valid = int(one.valid.sum())
        in_tail = any(token.valid and token.window == len(one.windows) - 1 for token in one.tokens)
        return valid == 0, dim(one), valid, one.windows[-1] < one.accumulate and not in_tail

    return sorted(bare, key=order)


def small_scenarios(lab: Lab, seed: int, named: LabMisconception | None) -> tuple[Scenario, ...]:
    """Scenarios of two ranks and at most three valid tokens, one padded position each, smallest first: the few that the named
    misconception foretells to fail, else as many as are worth a run. Where no token is valid there is nothing to see, so that
    case comes last."""
    rng = np.random.Generator(np.random.PCG64([seed, 1 << 32]))
    low, high = lab.sizes.microbatches
    accumulate = 1 if low <= 1 else min(max(2, low), high)
    windows = tuple([accumulate] * lab.scenarios[0].windows)
    if any(scenario.tail for scenario in lab.scenarios) and accumulate > 1 and (named is None or named.desync is None):
        windows = (*windows, 1)
    kinds = np.array([1, 0], dtype=np.int64)
    layouts = [layout for layout in _layouts(windows) if any(map(any, layout))] + [[[0] * RANKS] * sum(windows)]
    bare = [
        Scenario(
            "smallest", RANKS, accumulate, windows, False,
            tuple(tuple(np.repeat(kinds, [counts[rank], 1]) for counts in layout) for rank in range(RANKS)),
        )
        for layout in layouts
    ]  # fmt: skip
    if named is not None and (named.weights or named.desync):
        chosen = _foretold(lab, named, bare)
    else:
        chosen = _telling_first(lab, bare)[:TRIED]
    return tuple(fill(lab, scenario, rng) for scenario in chosen)
