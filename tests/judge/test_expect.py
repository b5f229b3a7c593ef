"""Weights are recovered from gradients that they made, and only from such; right is what the reference is, up to rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_device import Floats, expected, gradients_under, observed, scenario

from quizapp.judge.expect import (
    Expected,
    FaultyLab,
    Observed,
    is_right,
    matches,
    probe,
    recovered,
    relative_error,
    size_of,
    with_model,
)
from quizapp.judge.scenario import Scenario, draw, weights
from quizapp.model.lab import Lab, WeightRule

NUMBERS = st.floats(-3, 3, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-3)


@pytest.fixture(scope="module")
def plain(lab: Lab) -> Expected:
    return expected(lab, scenario(lab, [[3], [1], [2]]))


def given_weights(data: st.DataObject, scenario: Scenario) -> Floats:
    count = len(scenario.windows) * len(scenario.tokens)
    return np.array(data.draw(st.lists(NUMBERS, min_size=count, max_size=count))).reshape(len(scenario.windows), -1)


class TestRecovered:
    @given(st.data())
    @settings(deadline=None, max_examples=60)
    def test_any_weights_come_back(self, plain: Expected, data: st.DataObject) -> None:
        given = given_weights(data, plain.scenario)
        found = recovered(plain, gradients_under(plain.scenario, given))
        assert found is not None
        assert np.allclose(found, given, atol=1e-9)

    @given(st.data())
    @settings(deadline=None, max_examples=20)
    def test_over_windows_and_microbatches(self, lab: Lab, data: st.DataObject) -> None:
        its = expected(lab, scenario(lab, [[2, 1, 2], [1, 3, 1]], windows=(2, 1)))
        given = given_weights(data, its.scenario)
        found = recovered(its, gradients_under(its.scenario, given))
        assert found is not None
        assert np.allclose(found, given, atol=1e-9)

    @given(st.data(), st.integers(0, 2))
    @settings(deadline=None, max_examples=40)
    def test_a_rank_that_ends_with_another_gradient(self, plain: Expected, data: st.DataObject, rank: int) -> None:
        given = given_weights(data, plain.scenario)
        other = given.copy()
        other[0, data.draw(st.integers(0, given.shape[1] - 1))] += 0.5
        ends = list(gradients_under(plain.scenario, given))
        ends[rank] = gradients_under(plain.scenario, other)[0]
        assert recovered(plain, ends) is None

    @given(st.integers(0, 10_000))
    @settings(deadline=None, max_examples=25)
    def test_clamped_gradients_are_no_weighting(self, lab: Lab, seed: int) -> None:
        its = expected(lab, scenario(lab, [[3], [2]], seed=seed))
        (own, *_) = its.reference
        bound = float(np.abs(own["gradients"]).max()) / 2
        clamped = {**own, "gradients": np.clip(own["gradients"], -bound, bound)}
        assert recovered(its, [clamped, clamped]) is None

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_not_finite(self, plain: Expected, bad: float) -> None:
        ends = [{name: array.copy() for name, array in own.items()} for own in plain.reference]
        ends[1]["gradients"][0, 5] = bad
        assert recovered(plain, ends) is None
        assert not is_right(plain, ends)
        assert relative_error(plain, ends) is None

    def test_a_foreign_direction_is_no_weighting(self, plain: Expected) -> None:
        noise = np.random.default_rng(0).normal(size=plain.reference[0]["gradients"].shape)
        end = {**plain.reference[0], "gradients": plain.reference[0]["gradients"] + noise}
        assert recovered(plain, [end] * 3) is None

    def test_in_a_probe_each_rank_holds_its_own_tokens(self, lab: Lab) -> None:
        drawn = next(s for s in draw(lab, 5) if s.probe and s.world_size == 3)
        its = probe(lab, drawn)
        assert is_right(its, its.reference)
        found = recovered(its, its.reference)
        assert found is not None
        assert its.wanted is not None
        assert np.allclose(found, its.wanted)
        total = sum(map(sum, drawn.counts))
        for rank, own in enumerate(its.reference):
            mask = drawn.masks[rank][0]
            assert own["gradients"].tolist() == [[pytest.approx(3 / total * m) for m in mask]]


class TestRight:
    def test_the_reference_is_right(self, plain: Expected) -> None:
        assert is_right(plain, plain.reference)
        assert relative_error(plain, plain.reference) == 0

    @given(st.floats(0, 3e-7), st.integers(0, 100))
    @settings(deadline=None, max_examples=40)
    def test_a_factor_computed_in_float32_is_right(self, plain: Expected, off: float, seed: int) -> None:
        signs = np.random.default_rng(seed).choice([-1, 1], size=plain.reference[0]["gradients"].shape)
        end = {**plain.reference[0], "gradients": plain.reference[0]["gradients"] * (1 + off * signs)}
        assert is_right(plain, [end] * 3)

    @given(st.floats(1e-4, 1), st.booleans())
    @settings(deadline=None, max_examples=40)
    def test_a_factor_that_is_off_is_wrong(self, plain: Expected, off: float, more: bool) -> None:
        end = {**plain.reference[0], "gradients": plain.reference[0]["gradients"] * (1 + off if more else 1 - off)}
        assert not is_right(plain, [end] * 3)

    @pytest.mark.parametrize("rank", range(3))
    def test_every_rank_must_be_right(self, plain: Expected, rank: int) -> None:
        ends = list(plain.reference)
        ends[rank] = {**ends[rank], "gradients": ends[rank]["gradients"] * 2}
        assert not is_right(plain, ends)

    @pytest.mark.parametrize("name", ["zeros", "ones", "nan", "inf", "echo"])
    def test_zeros_constants_and_echoes_never_pass(self, plain: Expected, name: str) -> None:
        shape = plain.reference[0]["gradients"].shape
        echo = np.resize(plain.scenario.shared["weight"], shape)
        made = {
            "zeros": np.zeros(shape),
            "ones": np.ones(shape),
            "nan": np.full(shape, np.nan),
            "inf": np.full(shape, np.inf),
            "echo": echo,
        }
        assert not is_right(plain, [{**plain.reference[0], "gradients": made[name]}] * 3)

    def test_where_nothing_is_valid_only_zero_is_right(self, lab: Lab) -> None:
        its = expected(lab, scenario(lab, [[0], [0]]))
        assert not its.reference[0]["gradients"].any()
        assert is_right(its, its.reference)
        assert not is_right(its, observed(its.scenario, WeightRule(valid="1", padding="1/T")))
        tiny = {**its.reference[0], "gradients": its.reference[0]["gradients"] + 1e-3}
        assert not is_right(its, [tiny, tiny])

    def test_a_step_too_many_is_wrong(self, plain: Expected) -> None:
        end = {**plain.reference[0], "steps": np.array([2.0])}
        assert not is_right(plain, [end] * 3)

    @pytest.mark.parametrize("missing", ["gradients", "steps"])
    def test_an_array_that_is_missing_or_too_many_is_wrong(self, plain: Expected, missing: str) -> None:
        end = {name: array for name, array in plain.reference[0].items() if name != missing}
        assert not is_right(plain, [end] * 3)
        assert not is_right(plain, [{**plain.reference[0], "more": np.zeros(1)}] * 3)


class TestMatches:
    def test_nan_only_for_nan(self) -> None:
        one = np.array([1.0, np.nan])
        assert matches(one, one, np.abs(one), 1e-9)
        assert not matches(np.array([1.0, 2.0]), one, np.abs(one), 1e-9)
        assert not matches(one, np.array([1.0, 2.0]), np.ones(2), 1e-9)

    def test_inf_never(self) -> None:
        assert not matches(np.array([np.inf]), np.array([1.0]), np.ones(1), 1e-9)
        assert not matches(np.array([np.inf]), np.array([np.inf]), np.ones(1), 1e-9)

    def test_shapes_must_be_equal(self) -> None:
        assert not matches(np.zeros((1, 2)), np.zeros((2, 1)), np.ones((2, 1)), 1e-9)
        assert not matches(np.zeros(0), np.zeros(1), np.ones(1), 1e-9)


class TestFaultyLab:
    """A reference that isn't the wanted weights is the lab's fault, never the submission's."""

    def test_a_reference_that_disagrees(self, lab: Lab, plain: Expected) -> None:
        wrong: tuple[Observed, ...] = tuple({**own, "gradients": own["gradients"] * 1.0001} for own in plain.reference)
        with pytest.raises(FaultyLab, match="disagrees"):
            with_model(lab, plain.scenario, wrong, plain.terms, None, {})

    def test_terms_that_do_not_fit(self, lab: Lab, plain: Expected) -> None:
        assert plain.terms is not None
        with pytest.raises(FaultyLab, match="shapes"):
            with_model(lab, plain.scenario, plain.reference, plain.terms[:-1], None, {})
        with pytest.raises(FaultyLab, match="no terms"):
            with_model(lab, plain.scenario, plain.reference, None, None, {})

    def test_other_loss_terms_count_as_the_reference_has_them(self, lab: Lab, plain: Expected) -> None:
        assert plain.terms is not None
        extra = np.random.default_rng(3).normal(size=(1, plain.terms.shape[1]))
        reference = tuple({**own, "gradients": own["gradients"] + 0.25 * extra} for own in plain.reference)
        its = with_model(lab, plain.scenario, reference, np.concatenate([plain.terms, extra]), plain.wanted, {})
        assert is_right(its, reference)
        found = recovered(its, reference)
        assert found is not None
        assert np.allclose(found, weights(WeightRule(valid="1/N"), plain.scenario, 0))


def test_what_a_scenario_holds_is_said_in_the_words_of_the_lab(lab: Lab) -> None:
    def said(size: str, counts: list[list[int]], windows: tuple[int, ...]) -> str | None:
        return size_of(lab.model_copy(update={"size": size}), scenario(lab, counts, windows))

    assert said("", [[1], [2]], (1,)) is None
    assert said("{total} samples: {counts}", [[1], [2]], (1,)) == "3 samples: 1 | 2"
    assert said("overflow {empty}", [[1, 2, 3], [1, 2, 3]], (2, 1)) == "overflow on no rank"
    assert said("{counts}, repeats {padding}", [[1, 0], [0, 0]], (2,)) == "1+0 | 0+0, repeats 1+1 | 0+0"
    assert (
        said("overflow {empty}", [[0, 2, 0], [0, 0, 0]], (2, 1))
        == "overflow on rank 1 in window 1 and on ranks 0 and 1 in window 2"
    )
