"""What is said of a set of weights, or of a wrong value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_device import expected, gradients_under, observed, scenario

from quizapp.judge.expect import Expected, listing_of
from quizapp.judge.judge import weights_by_rank
from quizapp.judge.scenario import weights
from quizapp.judge.sentence import FACTORS, common_factor, describe, explain, factor_cause, ranks_without
from quizapp.model.figures import as_fraction
from quizapp.model.lab import Draw, Lab, ListedDraws, WeightRule


@pytest.fixture(scope="module")
def three(lab: Lab) -> Expected:
    return expected(lab, scenario(lab, [[2], [4], [1]]))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (WeightRule(valid="1/(R*n_r)"), "rank 2's only token counts 4 times as much as each of rank 1's 4"),
        (WeightRule(valid="1/(R*N)"), "every valid token weighs 1/3 of what it should"),
        (WeightRule(valid="R/N"), "every valid token weighs 3 times what it should"),
        (
            WeightRule(valid="1/T", padding="1/T"),
            "padded positions weigh 1/10, and should weigh 0; every valid token weighs 7/10 of what it should",
        ),
        (WeightRule(valid="(r != 1)/N"), "the tokens of rank 1 don't count at all"),
        (WeightRule(valid="0"), "no valid token counts at all"),
        (WeightRule(valid="(r == 1)/N"), "the tokens of ranks 0 and 2 don't count at all"),
        (WeightRule(valid="1/N"), ""),
    ],
)
def test_weights_of_one_window(three: Expected, rule: WeightRule, said: str) -> None:
    assert three.wanted is not None
    assert describe(three.scenario, three.wanted, weights(rule, three.scenario, 0)) == said


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            WeightRule(valid="1/(R*K*n_rk)"),
            "a token in microbatch 2 of rank 1 counts 3 times as much as one in microbatch 1 of rank 0",
        ),
        (WeightRule(valid="(k == 0)/N"), "the tokens of microbatch 2 don't count at all"),
        (WeightRule(valid="0*N + (k > 4)"), "no valid token counts at all"),
        (WeightRule(valid="(1 - (k == 1)*(r == 0))/N"), "the tokens in microbatch 2 of rank 0 don't count at all"),
        (WeightRule(valid="1/(K*N)"), "every valid token weighs 1/2 of what it should"),
    ],
)
def test_weights_of_microbatches(lab: Lab, rule: WeightRule, said: str) -> None:
    its = expected(lab, scenario(lab, [[3, 2], [2, 1]], windows=(2,)))
    assert its.wanted is not None
    assert describe(its.scenario, its.wanted, weights(rule, its.scenario, 0)) == said


def test_tokens_that_leak_into_the_next_step(lab: Lab) -> None:
    its = expected(lab, scenario(lab, [[2, 1], [1, 1]], windows=(1, 1)))
    assert its.wanted is not None
    said = describe(its.scenario, its.wanted, weights(WeightRule(valid="(w <= s)/N"), its.scenario, 0))
    assert said == "step 2 also holds tokens of step 1"
    said = describe(its.scenario, its.wanted, weights(WeightRule(valid="(w < s)/N"), its.scenario, 0))
    assert said == "step 2 also holds tokens of step 1; no valid token counts in its own step"


def test_a_token_that_is_alone(lab: Lab) -> None:
    its = expected(lab, scenario(lab, [[1], [0]]))
    assert its.wanted is not None
    said = describe(its.scenario, its.wanted, weights(WeightRule(valid="1/(R*N)"), its.scenario, 0))
    assert said == "the only valid token weighs 1/2 of what it should"


@pytest.mark.parametrize(
    ("counts", "windows", "where"),
    [
        ([[1], [0]], (1,), "rank 1 has no valid token"),
        ([[1], [0], [0]], (1,), "ranks 1 and 2 have no valid token"),
        ([[0], [0]], (1,), "no rank has a valid token, and the gradient wanted is 0"),
        ([[1, 0], [2, 0]], (1, 1), "no rank has a valid token in step 2, and the gradient wanted is 0"),
        ([[1, 1], [2, 0]], (2,), "microbatch 2 of rank 1 has no valid token"),
    ],
)
def test_where_there_was_nothing_to_divide_by(lab: Lab, counts: list[list[int]], windows: tuple[int, ...], where: str) -> None:
    its = expected(lab, scenario(lab, counts, windows=windows))
    nan = [{name: np.full_like(array, np.nan) for name, array in own.items()} for own in its.reference]
    assert explain(its, nan) == f"every rank ends with NaN in its gradients; {where}"


def test_of_steps_the_one_that_is_lost_is_told(lab: Lab) -> None:
    its = expected(lab, scenario(lab, [[1, 0], [0, 0]], windows=(1, 1)))
    lost = [{name: array.copy() for name, array in own.items()} for own in its.reference]
    for own in lost:
        own["gradients"][1] = np.nan
    where = "no rank has a valid token in step 2, and the gradient wanted is 0"
    assert explain(its, lost) == f"every rank ends with NaN in its gradients; {where}"


def test_tokens_of_different_steps_are_held_against_their_own_weights(lab: Lab) -> None:
    its = expected(lab, scenario(lab, [[2, 1], [1, 1]], windows=(1, 1)))
    assert its.wanted is not None
    said = describe(its.scenario, its.wanted, weights(WeightRule(valid="(1 + w)/N"), its.scenario, 0))
    assert said == "the tokens of step 1 weigh just what they should, those of step 2 weigh 2 times what they should"
    said = describe(its.scenario, its.wanted, weights(WeightRule(valid="(1 + w*(1 + r))/N"), its.scenario, 0))
    assert said == "in step 2 rank 1's only token counts 3/2 times as much as rank 0's only token"
    said = describe(its.scenario, its.wanted, weights(WeightRule(valid="(r == 0)*(1 + w)/N"), its.scenario, 0))
    assert said == "the tokens of rank 1 don't count at all"


def test_tokens_that_should_weigh_differently_are_held_against_their_own_weights(three: Expected) -> None:
    wanted = weights(WeightRule(valid="(1 + r)/N"), three.scenario, 0)
    by_rank = weights(WeightRule(valid="(1 + r)*(2 - (r == 0))/N"), three.scenario, 0)
    said = describe(three.scenario, wanted, by_rank)
    assert said == "tokens of rank 1 weigh 2 times what they should, those of rank 0 just what they should"
    mixed = wanted * np.linspace(1, 2, wanted.shape[1])
    assert describe(three.scenario, wanted, mixed) == "tokens of one step are off by different factors"


class TestExplain:
    def test_by_weights(self, three: Expected) -> None:
        assert (
            explain(three, observed(three.scenario, WeightRule(valid="R/N"))) == "every valid token weighs 3 times what it should"
        )

    def test_numbers_that_are_not_finite(self, three: Expected) -> None:
        nan = {**three.reference[0], "gradients": np.full_like(three.reference[0]["gradients"], np.nan)}
        inf = {**three.reference[0], "gradients": np.full_like(three.reference[0]["gradients"], np.inf)}
        assert explain(three, [nan] * 3) == "every rank ends with NaN in its gradients"
        assert explain(three, [three.reference[0], nan, three.reference[0]]) == "rank 1 ends with NaN in its gradients"
        assert explain(three, [inf, three.reference[0], inf]) == "ranks 0 and 2 end with infinite values in their gradients"

    def test_steps(self, three: Expected) -> None:
        assert (
            explain(three, [{**three.reference[0], "steps": np.array([0.0])}] * 3) == "0 optimizer steps were taken; 1 was wanted"
        )

    def test_a_step_too_few_that_holds_another_windows_tokens(self, lab: Lab) -> None:
        its = expected(lab, scenario(lab, [[2, 1], [3, 1]], windows=(1, 1)))
        given = weights(WeightRule(valid="(s == 0)/N"), its.scenario, 0)
        ends = [{**own, "steps": np.array([1.0])} for own in gradients_under(its.scenario, given)]
        assert explain(its, ends) == "1 optimizer step was taken; 2 were wanted; step 1 also holds tokens of step 2"

    def test_ranks_that_differ(self, three: Expected) -> None:
        ends = [three.reference[0], observed(three.scenario, WeightRule(valid="1"))[0], three.reference[0]]
        weighs = "a token of rank 0 weighs 1/7 on ranks 0 and 2 and 1 on rank 1, wanted 1/7 on every rank"
        assert explain(three, ends) == f"the ranks end with different gradients; {weighs}"
        own = weights_by_rank(three, ends)
        assert [round(each[0].given or 0.0, 9) for each in own] == [round(1 / 7, 9), 1.0, round(1 / 7, 9)]
        assert {(w.rank, w.token, w.valid) for w in own[0]} == {(w.rank, w.token, w.valid) for w in own[2]}
        assert weights_by_rank(three, three.reference) == ()

    def test_no_weighting(self, three: Expected) -> None:
        want = three.reference[0]["gradients"]
        noise = np.random.default_rng(0).normal(size=want.shape)

        def said(gradients: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
            return explain(three, [{**three.reference[0], "gradients": gradients}] * 3)

        assert said(noise).startswith("no set of weights on the token losses gives this gradient: one entry is ")
        first = np.arange(want.size).reshape(want.shape) < 3
        right = f"the gradient is right in 3 of its {want.size} entries"
        assert said(np.where(first, want, want / 3)) == f"{right}, and the others are 1/3 of what they should be"
        assert said(np.where(first, want, noise)).startswith(f"{right}, not in the others: one entry is ")

    def test_values(self, three: Expected) -> None:
        its = Expected(three.scenario, ({"loss": np.array(0.25)},) * 3)
        ends = [{"loss": np.array(0.25)}, {"loss": np.array(0.75)}, {"loss": np.array(0.25)}]
        assert explain(its, ends) == "rank 1 ends with loss = 3/4; wanted is 1/4"
        several = Expected(three.scenario, ({"norms": np.array([1.0, 2.0])},) * 3)
        assert explain(several, [{"norms": np.array([1.0, 2.5])}] * 3) == "rank 0 ends with norms[1] = 5/2; wanted is 2"


class TestFactor:
    def test_found_and_not(self, three: Expected) -> None:
        assert three.wanted is not None
        assert common_factor(three.scenario, three.wanted, three.wanted * 2.5) == pytest.approx(2.5)
        assert common_factor(three.scenario, three.wanted, weights(WeightRule(valid="1/(R*n_r)"), three.scenario, 0)) is None
        counted = weights(WeightRule(valid="2/N", padding="1"), three.scenario, 0)
        assert common_factor(three.scenario, three.wanted, counted) is None

    @pytest.mark.parametrize(("formula", "said"), [(f, s) for f, s, _ in FACTORS if f not in ("1/K", "K", "1/(R*K)", "K_w/K")])
    def test_a_cause_that_two_scenarios_tell(self, lab: Lab, formula: str, said: str) -> None:
        from quizapp.model.formula import Formula

        made = [scenario(lab, [[2], [4], [1]]), scenario(lab, [[3], [6]])]
        factors = [(its, float(Formula.parse(formula).scalar(its.values(0, 0)))) for its in made]
        cause = factor_cause(factors)
        assert cause is not None
        assert cause.startswith(f"The factor is {said} in every scenario: ")

    def test_one_scenario_tells_nothing(self, lab: Lab) -> None:
        assert factor_cause([(scenario(lab, [[2], [4]]), 0.5)]) is None
        assert factor_cause([(scenario(lab, [[2], [4]]), 0.5), (scenario(lab, [[3], [1]]), 0.5)]) is None

    def test_a_factor_that_no_formula_gives(self, lab: Lab) -> None:
        assert factor_cause([(scenario(lab, [[2], [4]]), 0.123), (scenario(lab, [[3], [1]]), 0.456)]) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "1/2"),
        (2 / 3, "2/3"),
        (3.0, "3"),
        (0.0, "0"),
        (-1.25, "-5/4"),
        (float("nan"), "NaN"),
        (float("inf"), "infinity"),
        (0.123987, "0.124"),
        (1 / 1024, "1/1024"),
        (0.000976, "0.000976"),
        (1e30, "1e+30"),
    ],
)
def test_as_fraction(value: float, text: str) -> None:
    assert as_fraction(value) == text


@given(st.floats())
def test_as_fraction_is_short(value: float) -> None:
    assert len(as_fraction(value)) <= 13


def test_which_ranks_have_nothing_where_others_have_some(lab: Lab) -> None:
    assert ranks_without(scenario(lab, [[2], [0], [0]])) == "ranks 1 and 2 have no valid token"
    assert ranks_without(scenario(lab, [[2, 0], [0, 0]], windows=(1, 1))) == "rank 1 has no valid token in step 1"
    assert ranks_without(scenario(lab, [[2, 0], [0, 1]], windows=(1, 1))) is None
    assert ranks_without(scenario(lab, [[2], [1]])) is None


def test_the_numbers_of_a_small_scenario_are_listed(lab: Lab) -> None:
    listing = ListedDraws(each="sample", columns={"loss": "its loss"})
    listed = lab.model_copy(update={"draws": {**lab.draws, "loss": Draw(each="scenario", shape=(12,), uniform=(1.0, 2.0))}})
    small = scenario(listed, [[2, 0], [0, 1]], windows=(2,))
    assert listing_of(listed, small) is None, "the lab lists none"
    found = listing_of(listed.model_copy(update={"listed": listing}), small)
    assert found is not None
    assert [(row.rank, row.microbatch) for row in found.rows] == [(0, 0), (0, 0), (1, 1)]
    assert [row.values for row in found.rows] == [(value,) for value in small.shared["loss"][:3]]
    crowd = scenario(listed, [[7], [6]])
    assert listing_of(listed.model_copy(update={"listed": listing}), crowd) is None
