"""Scenarios: the same seed draws the same on any machine, shapes are as promised, and a set tells the ideas apart."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.judge.scenario import (
    CROWD,
    NARROW,
    SEPARATING_SCENARIOS,
    Scenario,
    apart,
    draw,
    feature_width,
    rules_of,
    separated,
    steps_of,
    weights,
)
from quizapp.judge.tolerance import tolerance
from quizapp.model.lab import Lab, LabMisconception, ScenarioSpec, Sizes, WeightRule

SEEDS = st.integers(0, 2**48 - 1)
PINNED = [
    ("uneven", 3, ((1,), (3,), (5,))),
    ("even", 3, ((6,), (6,), (6,))),
    ("one-token-rank", 3, ((6,), (8,), (1,))),
    ("empty-rank", 3, ((0,), (2,), (1,))),
    ("lone-token", 3, ((1,), (0,), (0,))),
    ("all-empty", 3, ((0,), (0,), (0,))),
    ("probe", 3, ((2,), (7,), (4,))),
]
PINNED_WEIGHT = [0.03568870081600608, 0.010541424899789856, -0.09304680447082048]
PINNED_TARGETS = [1, 2]


def accumulation_lab() -> Lab:
    """Windows of several microbatches, with a short last one and an empty microbatch."""
    return Lab(
        entry="step",
        signature="step()",
        drive="train-window",
        objective=WeightRule(valid="1/N"),
        world_sizes=(2, 3, 4),
        sizes=Sizes(valid=(1, 4), padding=(1, 2), microbatches=(2, 5)),
        scenarios=(
            ScenarioSpec(name="plain", shape="uneven"),
            ScenarioSpec(name="tail", shape="uneven", windows=2, tail=True),
            ScenarioSpec(name="hole", shape="uneven", empty_microbatch=True),
        ),
        misconceptions=(
            LabMisconception(id="mean-of-microbatch-means", weights=(WeightRule(valid="1/(R*K*n_rk)"),)),
            LabMisconception(id="forgot-world-size-factor", weights=(WeightRule(valid="1/(R*N)"),)),
        ),
    )


def facts(scenario: Scenario) -> tuple[str, int, tuple[tuple[int, ...], ...]]:
    return scenario.name, scenario.world_size, scenario.counts


class TestSeed:
    @pytest.fixture
    def pinned(self, lab: Lab) -> Lab:
        """Of one step in each scenario, whatever the built-in lab has."""
        specs = (spec.model_copy(update={"windows": 1}) for spec in lab.scenarios)
        return lab.model_copy(update={"scenarios": tuple(specs)})

    def test_counts_of_a_seed_stay_what_they_are(self, pinned: Lab) -> None:
        """Drawn by numpy's PCG64, which promises its stream; a verdict's seed must draw the same again on another machine."""
        specs = tuple(spec for spec in pinned.scenarios if not spec.crowded)
        few = pinned.model_copy(update={"scenarios": specs})
        assert [facts(scenario) for scenario in draw(few, 7) if scenario.world_size == 3] == PINNED

    def test_numbers_of_a_seed_stay_what_they_are(self, pinned: Lab) -> None:
        first = draw(pinned, 7)[0]
        assert first.shared["weight"][0].tolist() == pytest.approx(PINNED_WEIGHT, rel=1e-12)
        assert first.arrays[0]["targets.0"].tolist() == PINNED_TARGETS

    @given(SEEDS)
    @settings(max_examples=5, deadline=None)
    def test_equal_seeds_equal_scenarios_and_others_not(self, lab: Lab, seed: int) -> None:
        one, same, other = draw(lab, seed), draw(lab, seed), draw(lab, seed + 1)
        assert list(map(facts, one)) == list(map(facts, same))
        for a, b in zip(one, same, strict=True):
            assert all(np.array_equal(a.shared[name], b.shared[name]) for name in a.shared)
            assert all(np.array_equal(x[name], y[name]) for x, y in zip(a.arrays, b.arrays, strict=True) for name in x)
        assert not np.array_equal(one[0].shared["weight"], other[0].shared["weight"])


class TestShapes:
    @given(SEEDS)
    @settings(max_examples=12, deadline=None)
    def test_counts_are_what_the_shape_promises(self, lab: Lab, seed: int) -> None:
        shapes = {spec.name: spec.shape for spec in lab.scenarios}
        scenarios = draw(lab, seed)
        assert [s.world_size for s in scenarios] == sorted(size for size in lab.world_sizes for _ in lab.scenarios)
        for scenario in scenarios:
            totals = [sum(row) for row in scenario.counts]
            match shapes[scenario.name]:
                case "uneven":
                    assert len(set(totals)) == len(totals)
                    assert min(totals) > 0
                case "even":
                    assert len(set(totals)) == 1
                    assert totals[0] >= 2
                case "one-token-rank":
                    assert totals.count(1) == 1
                    assert min(totals) == 1
                case "empty-rank":
                    assert totals.count(0) == 1
                    assert len(set(totals)) == len(totals)
                case "lone-token":
                    assert sum(totals) == 1
                case "all-empty":
                    assert sum(totals) == 0
            for row in scenario.masks:
                for mask in row:
                    assert len(mask) > 0
                    assert set(mask.tolist()) <= {0, 1}

    @given(SEEDS)
    @settings(max_examples=12, deadline=None)
    def test_windows_tails_and_empty_microbatches(self, seed: int) -> None:
        for scenario in draw(accumulation_lab(), seed):
            size, k = scenario.world_size, scenario.accumulate
            assert k % size
            assert size % k
            assert 2 <= k <= 5
            match scenario.name:
                case "tail":
                    assert scenario.windows[:2] == (k, k)
                    assert 1 <= scenario.windows[2] < k
                case "hole":
                    assert scenario.windows == (k,)
                    assert any(sum(row[m] for row in scenario.counts) == 0 for m in range(k))
                case _:
                    assert scenario.windows == (k,)

    def test_padding_has_real_targets_and_a_mask_apart(self, lab: Lab) -> None:
        for scenario in draw(lab, 3):
            for own in scenario.arrays:
                if not scenario.probe:
                    assert own["features.0"].shape[0] == len(own["mask.0"])
                    assert set(own["targets.0"].tolist()) <= {0, 1, 2}
        padded = [own for scenario in draw(lab, 3) for own in scenario.arrays if (own["mask.0"] == 0).any()]
        assert len(padded) > 50

    def test_a_probe_has_losses_and_no_model(self, lab: Lab) -> None:
        probes = [scenario for scenario in draw(lab, 3) if scenario.probe]
        assert len(probes) == len(lab.world_sizes)
        for probe in probes:
            assert probe.shared == {}
            assert {name for own in probe.arrays for name in own} == {"mask.0", "losses.0"}

    def test_a_probe_has_a_valid_token_whose_loss_is_zero_on_every_rank(self, lab: Lab) -> None:
        for scenario in draw(lab, 3):
            for own in scenario.arrays if scenario.probe else ():
                assert np.any((own["losses.0"] == 0) & (own["mask.0"] == 1))

    @pytest.mark.parametrize("name", ["trainer-of-microbatch-means", "loss-terms", "clip-after-normalizing", "merge-moments"])
    def test_the_first_and_the_last_rank_and_microbatch_are_empty_somewhere(self, name: str) -> None:
        """A program that only fails there would pass by luck otherwise, for one seed in four."""
        (folder,) = builtin_folder().glob(f"*/labs/{name}")
        drawn = load_lab(folder)
        empty_microbatch = {spec.name for spec in drawn.scenarios if spec.empty_microbatch}
        for seed in range(4):
            scenarios = draw(drawn, seed)
            ranks = [[not any(row) for row in s.counts] for s in scenarios if s.name == "empty-rank"]
            full = [range(s.windows[0]) for s in scenarios if s.name in empty_microbatch]
            holes = [s for s in scenarios if s.name in empty_microbatch]
            microbatches = [[not any(row[k] for row in s.counts) for k in its] for s, its in zip(holes, full, strict=True)]
            for found in (ranks, *([microbatches] if microbatches else [])):
                assert any(one[0] for one in found)
                assert any(one[-1] for one in found)

    def test_width_tells_nothing_of_the_counts(self, lab: Lab) -> None:
        widths = {(s.name == "crowd", own["features.0"].shape[1]) for s in draw(lab, 3) if not s.probe for own in s.arrays}
        assert widths == {(False, feature_width(lab)), (True, NARROW)}
        assert all(len(s.tokens) < feature_width(lab) for s in draw(lab, 3) if s.name != "crowd")

    @pytest.mark.parametrize("name", ["scale-local-loss", "short-windows", "lockstep"])
    def test_whatever_adds_up_a_crowd_in_a_byte_or_in_bfloat16_gets_one_wrong_number(self, name: str) -> None:
        def in_bfloat16(total: int) -> int:
            step = 2 ** max(total.bit_length() - 8, 0)
            return round(total / step) * step  # to even in the middle, as bfloat16 rounds

        (folder,) = builtin_folder().glob(f"*/labs/{name}")
        crowds = [s for seed in range(3) for s in draw(load_lab(folder), seed) if s.name == "crowd"]
        assert {s.world_size for s in crowds} == {2, 3, 4}
        for scenario in crowds:
            for window in range(len(scenario.windows)):
                inside = [k for k, its in enumerate(scenario.window_of) if its == window]
                counts = [row[k] for row in scenario.counts for k in inside]
                assert all(counts)
                for order in (counts, counts[::-1], sorted(counts)):
                    byte = rounded = 0
                    for count in order:
                        byte, rounded = (byte + count) % 256, in_bfloat16(rounded + in_bfloat16(count))
                    assert (sum(order), byte, rounded) == (CROWD, 1, 256)


class TestSeparation:
    @given(SEEDS)
    @settings(max_examples=4, deadline=None)
    @pytest.mark.parametrize("which", ["scale-local-loss", "accumulation"])
    def test_wrong_ideas_differ_from_the_objective_and_from_each_other_in_no_or_two_scenarios(
        self, lab: Lab, which: str, seed: int
    ) -> None:
        chosen = lab if which == "scale-local-loss" else accumulation_lab()
        assert chosen.objective is not None
        scenarios, rules = draw(chosen, seed), rules_of(chosen)
        relative = tolerance(feature_width(chosen))
        objective = [weights(chosen.objective, scenario, 0) for scenario in scenarios]
        made = [(identifier, [weights(rule, scenario, 0) for scenario in scenarios]) for identifier, rule in rules]
        for identifier, theirs in made:
            differ = sum(
                apart(a, b, relative) or (np.isnan(a) != np.isnan(b)).any() for a, b in zip(theirs, objective, strict=True)
            )
            assert differ >= SEPARATING_SCENARIOS, identifier
        for index, (identifier, mine) in enumerate(made):
            for other, theirs in made[index + 1 :]:
                if other != identifier:
                    assert sum(apart(a, b, relative) for a, b in zip(mine, theirs, strict=True)) != 1, (identifier, other)

    def test_a_set_that_can_not_tell_is_refused(self, lab: Lab) -> None:
        """Equal counts on all ranks make the mean of rank means right."""
        even = [scenario for scenario in draw(lab, 7) if scenario.name == "even"]
        uneven = [scenario for scenario in draw(lab, 7) if scenario.name == "uneven"]
        only = lab.model_copy(update={"misconceptions": lab.misconceptions[:1]})
        relative = tolerance(feature_width(lab))
        assert only.misconceptions[0].id == "mean-of-rank-means"
        assert not separated(only, [*even, uneven[0]], relative)
        assert separated(only, uneven, relative)


class TestWeights:
    def test_by_hand(self, lab: Lab) -> None:
        scenario = next(s for s in draw(lab, 7) if s.name == "uneven" and s.world_size == 2)
        (n0,), (n1,) = scenario.counts
        found = weights(WeightRule(valid="1/(R*n_r)", padding="0"), scenario, 0)[0]
        for weight, token in zip(found, scenario.tokens, strict=True):
            assert weight == pytest.approx((0.5 / (n0, n1)[token.rank]) if token.valid else 0.0)

    def test_a_division_by_zero_is_nan(self, lab: Lab) -> None:
        scenario = next(s for s in draw(lab, 7) if s.name == "empty-rank" and s.world_size == 2)
        found = weights(WeightRule(valid="1/N", padding="0/n_r"), scenario, 0)[0]
        empty = [rank for rank in range(2) if sum(scenario.counts[rank]) == 0]
        assert {token.rank for weight, token in zip(found, scenario.tokens, strict=True) if weight != weight} == set(empty)

    def test_only_tokens_of_the_step_weigh_unless_the_rule_asks(self) -> None:
        lab = accumulation_lab()
        scenario = next(s for s in draw(lab, 1) if s.name == "tail")
        own = weights(WeightRule(valid="1"), scenario, 0)
        leaked = weights(WeightRule(valid="w <= s"), scenario, 0)
        for index, token in enumerate(scenario.tokens):
            for step in range(3):
                assert own[step, index] == (token.valid and step == token.window)
                assert leaked[step, index] == (token.valid and token.window <= step)

    def test_steps(self) -> None:
        scenario = next(s for s in draw(accumulation_lab(), 1) if s.name == "tail")
        assert steps_of(WeightRule(valid="1"), scenario) == 3
        assert steps_of(WeightRule(valid="1", steps="W - 1"), scenario) == 2


@given(st.floats(1e-6, 1e6), st.floats(-1, 1))
def test_apart_is_far_more_than_rounding(value: float, off: float) -> None:
    a, b = np.array([value, 1.0]), np.array([value * (1 + off), 1.0])
    assert apart(a, b, 1e-6) == (abs(value * (1 + off) - value) > 1e-3 * max(abs(value), abs(value * (1 + off)), 1.0))
    assert apart(a, np.array([np.nan, 1.0]), 1e-6)
    assert not apart(np.array([np.nan]), np.array([np.nan]), 1e-6)


def test_names_are_counted_once(lab: Lab) -> None:
    assert Counter(s.name for s in draw(lab, 1)) == {spec.name: 3 for spec in lab.scenarios}
