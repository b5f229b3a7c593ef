"""A name is given to what a rule predicts everywhere, and never to anything else."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_device import expected, gradients_under, observed

from quizapp.judge import names
from quizapp.judge.expect import Expected, probe
from quizapp.judge.names import Run
from quizapp.judge.scenario import Scenario, draw, weights
from quizapp.model.lab import Lab, LabMisconception, WeightRule


def expect(lab: Lab, drawn: Scenario) -> Expected:
    return probe(lab, drawn) if drawn.probe else expected(lab, drawn)


@pytest.fixture(scope="module")
def two(lab: Lab) -> Lab:
    """The lab at two and three ranks."""
    return lab.model_copy(update={"world_sizes": (2, 3)})


@pytest.fixture(scope="module")
def set_of(two: Lab) -> tuple[Expected, ...]:
    return tuple(expect(two, drawn) for drawn in draw(two, 11))


def runs(expectations: Sequence[Expected], given: Callable[[Scenario], np.ndarray]) -> list[Run]:
    found = []
    for its in expectations:
        weighing = given(its.scenario)
        if its.scenario.probe:
            assert its.terms is not None
            own = [{"gradients": its.own(weighing @ its.terms, rank)} for rank in range(its.scenario.world_size)]
            found.append(Run(its, own))
        else:
            found.append(Run(its, gradients_under(its.scenario, weighing)))
    return found


def test_each_rule_is_named_after_its_own(two: Lab, set_of: tuple[Expected, ...]) -> None:
    silent = []
    for wrong in two.misconceptions:
        for rule in wrong.weights:
            found = names.name(two, runs(set_of, lambda its, rule=rule: weights(rule, its, 0)))
            assert found is None or found.id == wrong.id, (wrong.id, rule)
            if found is None:
                silent.append((wrong.id, rule.valid, rule.padding))
    total = sum(len(wrong.weights) for wrong in two.misconceptions)
    assert len(silent) <= total * 0.05, silent


def test_the_right_answer_has_no_name(two: Lab, set_of: tuple[Expected, ...]) -> None:
    assert two.objective is not None
    assert names.name(two, runs(set_of, lambda its: np.nan_to_num(weights(two.objective, its, 0)))) is None
    assert names.name(two, []) is None


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=25)
def test_weights_that_follow_no_rule_have_no_name(two: Lab, set_of: tuple[Expected, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert names.name(two, runs(set_of, lambda its: rng.uniform(0.1, 2, size=(1, len(its.tokens))))) is None


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_a_rule_that_fails_in_one_scenario_gives_no_name(two: Lab, set_of: tuple[Expected, ...], data: st.DataObject) -> None:
    rule = WeightRule(valid="1/(R*n_r)")
    off = data.draw(st.integers(0, len(set_of) - 1))
    made = runs(set_of, lambda its: weights(rule, its, 0))
    bent = [{**own, "gradients": own["gradients"] * 1.01 + 0.01} for own in made[off].observed or ()]
    made[off] = Run(made[off].expected, bent)
    assert names.name(two, made) is None


def test_two_scenarios_must_tell_it_from_the_right_answer(two: Lab, set_of: tuple[Expected, ...]) -> None:
    """The mean of rank means is right where all counts are equal; one uneven scenario could be chance."""
    even = [its for its in set_of if its.scenario.name == "even"]
    uneven = [its for its in set_of if its.scenario.name == "uneven"]
    rule = WeightRule(valid="1/(R*n_r)")
    # Without an empty rank, the mean over active ranks is the same.
    told = two.model_copy(update={"misconceptions": tuple(m for m in two.misconceptions if m.id != "mean-over-active-ranks")})

    def under_rule(its: Scenario) -> np.ndarray:
        return weights(rule, its, 0)

    assert names.name(two, runs([*even, *uneven], under_rule)) is None
    assert names.name(told, runs([*even, uneven[0]], under_rule)) is None
    found = names.name(told, runs([*even, *uneven], under_rule))
    assert found is not None
    assert found.id == "mean-of-rank-means"


def test_ideas_that_only_one_scenario_tells_apart_are_not_told(two: Lab, set_of: tuple[Expected, ...]) -> None:
    """Guarded and unguarded sums differ only where ranks are empty; with one such scenario another name would fit nearly."""
    twins = two.model_copy(
        update={
            "misconceptions": (
                LabMisconception(id="one", weights=(WeightRule(valid="2/N"),)),
                LabMisconception(id="two", weights=(WeightRule(valid="2/N + (N == 1)"),)),
            )
        }
    )
    lone = [its for its in set_of if its.scenario.name == "lone-token"]
    plain = [its for its in set_of if its.scenario.name == "uneven"]

    def doubled(its: Scenario) -> np.ndarray:
        return np.nan_to_num(weights(WeightRule(valid="2/N"), its, 0))

    assert names.name(twins, runs([*plain, lone[0]], doubled)) is None
    found = names.name(twins, runs([*plain, *lone], doubled))
    assert found is not None
    assert found.id == "one"


def test_two_ideas_that_predict_the_same_give_no_name(two: Lab, set_of: tuple[Expected, ...]) -> None:
    rule = WeightRule(valid="2/N")
    same = tuple(LabMisconception(id=name, weights=(rule,)) for name in ("one", "two"))
    assert names.name(two.model_copy(update={"misconceptions": same}), runs(set_of, lambda its: weights(rule, its, 0))) is None


class TestDesync:
    """``rank-left-out`` parts ways where one rank is empty and others are not, and is right elsewhere."""

    def made(self, two: Lab, set_of: tuple[Expected, ...], parts: Callable[[Scenario], bool]) -> list[Run]:
        found = []
        for its in set_of:
            ways = parts(its.scenario)
            found.append(Run(its, None if ways else its.reference, ways))
        return found

    @staticmethod
    def left_out(its: Scenario) -> bool:
        totals = [sum(row) for row in its.counts]
        return min(totals) == 0 < max(totals)

    def test_named(self, two: Lab, set_of: tuple[Expected, ...]) -> None:
        found = names.name(two, self.made(two, set_of, self.left_out))
        assert found is not None
        assert found.id == "rank-left-out"

    def test_not_where_every_rank_made_the_call(self, two: Lab, set_of: tuple[Expected, ...]) -> None:
        """An empty rank that reduces a count of another dtype is no rank left out."""
        made = [replace(run, everyone_came=run.desync) for run in self.made(two, set_of, self.left_out)]
        assert names.name(two, made) is None

    def test_not_where_they_part_everywhere(self, two: Lab, set_of: tuple[Expected, ...]) -> None:
        assert names.name(two, self.made(two, set_of, lambda its: True)) is None

    def test_not_where_they_part_elsewhere(self, two: Lab, set_of: tuple[Expected, ...]) -> None:
        assert names.name(two, self.made(two, set_of, lambda its: its.name in ("even", "uneven"))) is None

    def test_not_where_the_rest_is_wrong(self, two: Lab, set_of: tuple[Expected, ...]) -> None:
        made = self.made(two, set_of, self.left_out)
        index = next(i for i, run in enumerate(made) if run.expected.scenario.name == "uneven")
        made[index] = Run(made[index].expected, observed(made[index].expected.scenario, WeightRule(valid="1/(R*N)")))
        assert names.name(two, made) is None
