"""The smallest scenarios: few ranks, few tokens, smallest first, the same for the same seed."""

import numpy as np
import pytest
from test_scenario import accumulation_lab

from quizapp.judge.scenario import weights
from quizapp.judge.shrink import CONFIRMED, MOST_TOKENS, RANKS, TRIED, small_scenarios
from quizapp.model.lab import Lab


@pytest.mark.parametrize("which", ["scale-local-loss", "accumulation"])
def test_small_and_smallest_first(lab: Lab, which: str) -> None:
    found = small_scenarios(lab if which == "scale-local-loss" else accumulation_lab(), 3, None)
    totals = [sum(map(sum, its.counts)) for its in found if any(map(any, its.counts))]
    assert 0 < len(found) <= TRIED
    assert totals == sorted(totals)
    assert max(totals) <= MOST_TOKENS
    assert len({its.counts for its in found}) == len(found)
    for its in found:
        assert its.world_size == RANKS
        assert len(its.arrays) == RANKS
        assert sum(its.windows) == len(its.counts[0])


def test_one_microbatch_goes_through_all_layouts_and_the_empty_one_comes_last(lab: Lab) -> None:
    counts = [tuple(row[0] for row in its.counts) for its in small_scenarios(lab, 3, None)]
    assert set(counts) == {(a, b) for a in range(4) for b in range(4) if a + b <= MOST_TOKENS}
    assert counts[-1] == (0, 0)


def test_windows_with_a_tail_have_one() -> None:
    assert all(its.windows == (its.accumulate, 1) for its in small_scenarios(accumulation_lab(), 3, None))


def test_what_a_name_foretells_is_tried_first(lab: Lab) -> None:
    assert lab.objective is not None
    by_id = {wrong.id: wrong for wrong in lab.misconceptions}
    for its in small_scenarios(lab, 3, by_id["mean-of-rank-means"]):
        wanted = np.nan_to_num(weights(lab.objective, its, 0))
        assert any(not np.allclose(weights(rule, its, 0), wanted) for rule in by_id["mean-of-rank-means"].weights)
    left_out = small_scenarios(lab, 3, by_id["rank-left-out"])
    assert 0 < len(left_out) <= CONFIRMED
    assert all(0 in (sum(row) for row in its.counts) and any(map(any, its.counts)) for its in left_out)


def test_the_same_seed_gives_the_same(lab: Lab) -> None:
    one, same, other = (small_scenarios(lab, seed, None) for seed in (3, 3, 4))
    for a, b, c in zip(one, same, other, strict=True):
        assert np.array_equal(a.arrays[0]["features.0"], b.arrays[0]["features.0"])
        assert not np.array_equal(a.arrays[0]["features.0"], c.arrays[0]["features.0"])


@pytest.mark.parametrize(("size", "first"), [("", [2, 1]), ("length {total}", [1, 1])])
def test_of_values_the_smallest_has_no_empty_rank(lab: Lab, size: str, first: list[int]) -> None:
    returned = lab.model_copy(update={"observation": "returned", "size": size})
    held = [[sum(row) for row in its.counts] for its in small_scenarios(returned, 3, None)]
    assert held[0] == first
    empty = [0 in its for its in held]
    assert empty == sorted(empty)
