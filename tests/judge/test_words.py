"""What is said in a lab's own words: of arrays that ranks end with, of terms beside the token losses, of ranks that differ."""

from dataclasses import replace

import numpy as np
import pytest
from one_device import expected, gradients_under, scenario, terms

from quizapp.judge.expect import Expected, Observed, other_weights, recovered, with_model
from quizapp.judge.scenario import CROWD, Scenario, fill, weights
from quizapp.judge.sentence import explain
from quizapp.model.lab import ArrayWords, Lab, OtherTerm, WeightRule

SCALE = ArrayWords(called="loss scale", rows=("after step 1", "after step 2", "after step 3"))
INDICES = ArrayWords(called="indices", filler=-1)
GRADIENT = ArrayWords(called="the gradient is", rows=("low limit", "high limit"))
FACTORS = ArrayWords(called="on {name}, the factor for {entry} is", entries=("dense", "expert"))
VERDICT = ArrayWords(called="is_right of the step {entry} is", entries=('"right"',), values={"0": "False", "1": "True"})


def of(words: dict[str, ArrayWords], wanted: list[Observed], lab: Lab) -> Expected:
    return Expected(scenario(lab, [[2], [1]]), tuple(wanted), words=words)


@pytest.mark.parametrize(
    ("words", "name", "wanted", "given", "said"),
    [
        (
            SCALE,
            "scale",
            [[8, 4], [8, 4]],
            [[8, 8], [8, 4]],
            "after step 2: loss scale 8 on rank 0 and 4 on rank 1, wanted 4 on every rank",
        ),
        (SCALE, "scale", [[8, 4], [8, 4]], [[9, 9], [9, 9]], "after step 1: loss scale 9 on every rank, wanted 8"),
        (
            SCALE,
            "scale",
            [[8, 4], [8, 2]],
            [[8, 4], [8, 4]],
            "after step 2: loss scale 4 on every rank, wanted 4 on rank 0 and 2 on rank 1",
        ),
        (SCALE, "scale", [[1, 1], [1, 1]], [[1.00002, 1]] * 2, "after step 1: loss scale 1.00002 on every rank, wanted 1"),
        (
            INDICES,
            "i",
            [[2, 0, -1], [1, -1, -1]],
            [[2, 0, -1], [-1] * 3],
            "indices [2, 0] on rank 0 and [] on rank 1, wanted [2, 0] on rank 0 and [1] on rank 1",
        ),
        (
            FACTORS,
            "dp=2",
            [[1, 2]] * 2,
            [[1, 0.25]] * 2,
            "on dp=2, the factor for expert is 1/4 on every rank, wanted 2: 1/8 of what it should be",
        ),
        (
            FACTORS,
            "dp=2",
            [[1, 2]] * 2,
            [[2, np.nan]] * 2,
            "on dp=2, the factor for dense is 2 on every rank, wanted 1; wrong also for expert",
        ),
        (
            GRADIENT,
            "g",
            [[[0.1, 0.2, 0.3]]] * 2,
            [[[0.01, 0.02, 0.03]]] * 2,
            "low limit: the gradient is [1/100, 1/50, 3/100] on every rank, wanted [1/10, 1/5, 3/10]: "
            "every entry is 1/10 of what it should be",
        ),
        (
            GRADIENT,
            "g",
            [[[1.5, 2.5, 3.5]]] * 2,
            [[[3, 7.5, 3.5]]] * 2,
            "low limit: the gradient is [3, 15/2, 7/2] on every rank, wanted [3/2, 5/2, 7/2]: "
            "entries are between 1 and 3 times what they should be",
        ),
        (
            ArrayWords(called="the norm is"),
            "norm",
            [[2.5]] * 2,
            [[2.5 * 3**0.5]] * 2,
            "the norm is 4.33 on every rank, wanted 5/2: √3 times what it should be",
        ),
        (
            ArrayWords(called="the norm is"),
            "norm",
            [[2.5]] * 2,
            [[5], [3.5355]],
            "the norm is 5 on rank 0 and 3.535 on rank 1, wanted 5/2 on every rank",
        ),
        (
            VERDICT,
            "v",
            [[0], [0]],
            [[1], [0]],
            'is_right of the step "right" is True on rank 0 and False on rank 1, wanted False on every rank',
        ),
    ],
)
def test_arrays(lab: Lab, words: ArrayWords, name: str, wanted: list[list[float]], given: list[list[float]], said: str) -> None:
    its = of({"*" if "{name}" in words.called else name: words}, [{name: np.array(row, dtype=float)} for row in wanted], lab)
    assert explain(its, [{name: np.array(row, dtype=float)} for row in given]) == said


EXTREME = (1.7976931348623157e308, -1e308, 1e308, 5e-324, -1e-320, 0.0, -0.0, np.nan, np.inf, -np.inf, 1e16, 1.00002)


@pytest.mark.parametrize("words", [SCALE, GRADIENT, INDICES, VERDICT.model_copy(update={"entries": ()})])
@pytest.mark.parametrize("rest", EXTREME)
def test_whatever_numbers_ranks_end_with_something_is_said(lab: Lab, words: ArrayWords, rest: float) -> None:
    """A submission's numbers may be any; one that no fraction holds must not end the judge."""
    wanted = [{"a": np.array([[1.0, 0.5, 3.0]])}, {"a": np.array([[1.0, 0.5, 5e-324]])}]
    for first in EXTREME:
        for given in ([first, rest, rest], [1.00002, 0.5, rest], [first * 3, 0.5 * first, 3 * first]):
            with np.errstate(all="ignore"):
                said = explain(of({"a": words}, list(wanted), lab), [{"a": np.array([given])}] * 2)
            assert said
            assert len(said) < 500


def test_the_first_array_in_the_labs_order_is_told(lab: Lab) -> None:
    words = {"b": ArrayWords(called="b"), "a": ArrayWords(called="a")}
    its = of(words, [{"a": np.array(1.0), "b": np.array(1.0)}] * 2, lab)
    assert explain(its, [{"a": np.array(2.0), "b": np.array(3.0)}] * 2) == "b 3 on every rank, wanted 1"


def test_of_ranks_with_long_rows_the_one_that_is_off_most_is_told(lab: Lab) -> None:
    wanted: list[Observed] = [{"g": np.array([1.0, 2.0, 4.0, 8.0])}, {"g": np.array([0.25, 0.5, 1.0, 2.0])}]
    given: list[Observed] = [{"g": wanted[0]["g"] * 1.001}, {"g": wanted[1]["g"] * 3}]
    its = of({"g": ArrayWords(called="the step is")}, wanted, lab)
    assert explain(its, given) == (
        "the step is [3/4, 3/2, 3, 6] on rank 1, wanted [1/4, 1/2, 1, 2]: every entry is 3 times what it should be"
    )


def test_what_else_is_wrong_is_named(lab: Lab) -> None:
    wanted: Observed = {
        "v": np.array([1.0]),
        "dp=2": np.array([1.0, 2.0]),
        "tp=2": np.array([1.0, 2.0]),
        "cp=2": np.array([1.0, 2.0]),
    }
    given: Observed = {
        "v": np.array([1.0]),
        "dp=2": np.array([2.0, 3.0]),
        "tp=2": np.array([1.0, 2.0]),
        "cp=2": np.array([1.0, 3.0]),
    }
    its = of({"v": VERDICT, "*": FACTORS}, [wanted] * 2, lab)
    assert explain(its, [given] * 2) == (
        "on dp=2, the factor for dense is 2 on every rank, wanted 1; wrong also for expert; wrong also with cp=2"
    )


@pytest.mark.parametrize(
    ("balance", "size", "said"),
    [
        (lambda w: 2 * w, lambda w: w, "balance weighs 2 times what it should"),
        (lambda w: w, lambda w: w / 3, "size weighs 1/3 of what it should"),
        (lambda w: w * [1, 0], lambda w: w, "balance doesn't count in some microbatches"),
        (lambda w: w * 0, lambda w: w, "balance doesn't count at all"),
        (
            lambda w: w,
            lambda w: w * [1, 1, 0, 1, 0] * 2,
            "size doesn't count for padding, and weighs 2 times what it should elsewhere",
        ),
        (
            lambda w: w * [1, 2],
            lambda w: w,
            "balance weighs between 1 and 2 times what it should, differing from one microbatch to the next",
        ),
    ],
)
def test_other_terms(lab: Lab, balance, size, said: str) -> None:  # type: ignore[no-untyped-def]
    its = scenario(lab, [[2], [1]])
    each = np.random.default_rng(3).normal(size=(5 + 2 + 5, 60))
    wanted = np.array([[1 / 3, 1 / 3, 0, 1 / 3, 0, *[0.5] * 2, *[0.2] * 5]])
    known = lab.model_copy(
        update={"other_terms": (OtherTerm(called="balance", units="microbatches"), OtherTerm(called="size", units="positions"))}
    )
    one = with_model(known, its, ({"gradients": wanted @ each, "steps": np.ones(1)},) * 2, each, wanted, {})
    given = np.concatenate([wanted[:, :5], balance(wanted[:, 5:7]), size(wanted[:, 7:])], axis=1)
    assert explain(one, [{"gradients": given @ each, "steps": np.ones(1)}] * 2) == said
    found = other_weights(one, [{"gradients": given @ each, "steps": np.ones(1)}] * 2)
    assert found is not None
    assert np.allclose(found, given[:, 5:])


def test_other_terms_beside_right_tokens_are_told_by_themselves(lab: Lab) -> None:
    its = scenario(lab, [[2], [0]])
    assert len(its.tokens) == 4
    each = np.random.default_rng(3).normal(size=(4 + 2 + 4, 60))
    wanted = np.array([[1 / 2, 1 / 2, 0, 0, *[0.5] * 2, *[0.25] * 4]])
    terms = (OtherTerm(called="balance", units="microbatches"), OtherTerm(called="size", units="positions"))
    known = lab.model_copy(update={"other_terms": terms})
    one = with_model(known, its, ({"gradients": wanted @ each, "steps": np.ones(1)},) * 2, each, wanted, {})

    def said(*lacking: int) -> str:
        given = wanted.copy()
        given[0, list(lacking)] = 0
        return explain(one, [{"gradients": given @ each, "steps": np.ones(1)}] * 2)

    assert said(5, 9) == "balance doesn't count in microbatches without a valid token; size doesn't count in some positions"
    assert said(4, 8, 9) == "balance doesn't count in some microbatches; size doesn't count for padding"


def test_whose_tokens_a_rank_has(lab: Lab) -> None:
    its = expected(lab, scenario(lab, [[2], [4], [1]]))

    def ends(*rules: str) -> list[Observed]:
        return [
            gradients_under(its.scenario, weights(WeightRule(valid=rule), its.scenario, rank))[0] for rank, rule in enumerate(rules)
        ]

    def weighs(rank: int, each: str) -> str:
        return f"; a token of rank {rank} weighs {each}, wanted 1/7 on every rank"

    own = weighs(2, "0 on ranks 0 and 1 and 1 on rank 2")
    assert explain(its, ends(*["(r == q)/n_r"] * 3)) == f"each rank's gradient holds its own tokens alone{own}"
    told = "the ranks end with different gradients"
    missing = weighs(2, "0 on rank 0 and 1/7 on ranks 1 and 2")
    assert explain(its, ends("(r != 2)/N", "1/N", "1/N")) == f"{told}: rank 0's has no tokens of rank 2{missing}"
    assert explain(its, ends("1/N", "2/N", "1/N")) == told + weighs(0, "1/7 on ranks 0 and 2 and 2/7 on rank 1")


def test_a_crowd_has_a_weight_for_each_rank_and_kind_of_position(lab: Lab) -> None:
    masks = tuple((np.repeat(np.array([1, 0]), [n, 2]),) for n in (CROWD - 1, 1))
    crowd = fill(lab, Scenario("crowd", 2, 1, (1,), False, masks), np.random.default_rng(1))
    its = expected(lab, crowd)
    assert len(terms(crowd)) > terms(crowd).shape[1]
    for rule in (WeightRule(valid="1/(R*n_r)"), WeightRule(valid="1/T", padding="1/T")):
        given = weights(rule, crowd, 0)
        found = recovered(its, gradients_under(crowd, given))
        assert found is not None
        assert np.allclose(found, given, rtol=1e-8)
    uneven = weights(WeightRule(valid="1/N"), crowd, 0) * np.linspace(0.5, 1.5, len(crowd.tokens))
    assert recovered(its, gradients_under(crowd, uneven)) is None
    assert explain(its, gradients_under(crowd, uneven)).startswith("the gradient is another one than wanted: one entry is ")
    assert explain(replace(its), gradients_under(crowd, weights(WeightRule(valid="1/(N - 1)"), crowd, 0))) == (
        "every valid token weighs 257/256 times what it should"
    )
