"""The smallest scenario that still fails: at most two ranks and three valid tokens. Explains; never changes a verdict."""

from collections.abc import Iterator, Sequence

import numpy as np

from quizapp.judge.scenario import Scenario, fill
from quizapp.model.lab import Lab

RANKS = 2
MOST_TOKENS = 3


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


def small_scenarios(lab: Lab, seed: int, limit: int = 24) -> tuple[Scenario, ...]:
    """Scenarios of two ranks and at most three valid tokens, one padded position each, smallest first, at most ``limit``."""
    rng = np.random.Generator(np.random.PCG64([seed, 1 << 32]))
    low, high = lab.sizes.microbatches
    accumulate = 1 if low <= 1 else min(max(2, low), high)
    spec = lab.scenarios[0]
    windows = tuple([accumulate] * spec.windows)
    if any(scenario.tail for scenario in lab.scenarios) and accumulate > 1:
        windows = (*windows, 1)
    kinds = np.array([1, 0], dtype=np.int64)
    found = []
    for layout in _layouts(windows):
        masks = tuple(tuple(np.repeat(kinds, [counts[rank], 1]) for counts in layout) for rank in range(RANKS))
        found.append(fill(lab, Scenario("smallest", RANKS, accumulate, windows, False, masks), rng))
        if len(found) == limit:
            break
    return tuple(found)
