"""Numbers against a key: exactness, tolerance, and wrong numbers that have a name."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.model.formula import FormulaError
from quizapp.model.question import NumericPart
from quizapp.model.score import Score
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.numeric import score_numeric, tolerance_of

VALUES = {"n": (Fraction(2), Fraction(1), Fraction(3)), "S": (Fraction(4), Fraction(5), Fraction(3))}
TITLES = {"mean-of-rank-means": "the mean of per-rank means", "raw-sum": "the sum itself"}


def part(key: str = "mean(S/n)", wrong: list[dict[str, Any]] | None = None, **more: Any) -> NumericPart:
    return NumericPart(id="mean", kind="numeric", key=key, wrong=wrong or [], **more)


def scored(answer: str, **more: Any) -> Score:
    return score_numeric(part(**more), VALUES, answer, TITLES)


@pytest.mark.parametrize(
    "answer", ["8/3", "2 2/3", "16/6", "2.667", "2.6667", "2.66667", "(2+5+1)/3", "= 8/3", "8/3 ≈ 2.67", "2.667 tokens", "266.7%"]
)
def test_eight_thirds(answer: str) -> None:
    score = scored(answer)
    assert (score.points, score.outcome, score.misconceptions) == (1, "right", ())


@pytest.mark.parametrize("answer", ["2.67", "2.7", "2.66", "3", "≈2.67", "2.6"])
def test_too_coarse(answer: str) -> None:
    score = scored(answer)
    assert score.points == 0
    assert "at least 4 significant digits" in score.criteria[0].reason


@pytest.mark.parametrize("answer", ["2.7e0001", "2", "2.68", "26.67", "2.5", "-2.667", "2667/1000"])
def test_wrong(answer: str) -> None:
    assert scored(answer).points == 0


def test_a_fraction_is_compared_exactly_and_said_to_be_close() -> None:
    assert "compared exactly" in scored("2667/1000").criteria[0].reason


def test_the_wrong_sign_is_told() -> None:
    assert "wrong sign" in scored("-8/3").criteria[0].reason


def test_an_integer_key_is_compared_exactly_with_integers() -> None:
    assert score_numeric(part("100000"), {}, "100001", {}).points == 0
    assert score_numeric(part("100000"), {}, "100,000", {}).points == 1
    assert score_numeric(part("100000"), {}, "100000.1", {}).points == 1, "decimals have the stated tolerance"


def test_an_integer_may_be_the_rounding_of_a_large_key() -> None:
    assert score_numeric(part("8000/3"), {}, "2667", {}).points == 1
    assert score_numeric(part("8000/3"), {}, "2700", {}).points == 0


def test_zero() -> None:
    assert score_numeric(part("0"), {}, "0", {}).points == 1
    assert score_numeric(part("0"), {}, "0.0", {}).points == 1
    assert score_numeric(part("0"), {}, "1", {}).points == 0


def test_irrational_keys() -> None:
    assert score_numeric(part("sqrt(2)"), {}, "1.414", {}).points == 1
    assert score_numeric(part("sqrt(2)"), {}, "1.41", {}).points == 0
    assert score_numeric(part("exp(1)", tolerance=0.01), {}, "2.72", {}).points == 1


WRONG = [
    {"value": "mean(S/n)", "misconception": "mean-of-rank-means", "note": "{{ S[0] }} of {{ n[0] }}, and so on"},
    {"value": "sum(S)", "misconception": "raw-sum"},
]


@pytest.mark.parametrize("answer", ["8/3", "2.667", "2 2/3", "2.67"])
def test_a_wrong_number_is_named(answer: str) -> None:
    score = scored(answer, key="sum(S)/sum(n)", wrong=WRONG)
    assert score.points == 0
    assert score.misconceptions == ("mean-of-rank-means",)
    reason = score.criteria[0].reason
    assert "the mean of per-rank means" in reason
    assert "4 of 2, and so on." in reason, "slots of the note are filled in"


def test_a_wrong_number_that_is_the_key_in_this_variant_is_right() -> None:
    values = {"n": (Fraction(2), Fraction(2)), "S": (Fraction(4), Fraction(6))}
    score = score_numeric(part("sum(S)/sum(n)", WRONG), values, "2.5", TITLES)
    assert (score.points, score.misconceptions) == (1, ())


def test_the_nearer_of_key_and_wrong_number_decides() -> None:
    near = [{"value": "2.0005", "misconception": "raw-sum"}]
    assert score_numeric(part("2", near), {}, "2.0005", TITLES).misconceptions == ("raw-sum",)
    assert score_numeric(part("2", near), {}, "2.0001", TITLES).points == 1


def test_a_wrong_formula_without_a_value_here_is_passed_over() -> None:
    assert score_numeric(part("2", [{"value": "1/0", "misconception": "raw-sum"}]), {}, "3", TITLES).misconceptions == ()


def test_evidence_is_the_number() -> None:
    answer = "global mean = 2.25 tokens"
    ((start, end),) = score_numeric(part("9/4"), {}, answer, {}).criteria[0].evidence
    assert answer[start:end] == "2.25"


def test_what_is_no_number_is_no_wrong_answer() -> None:
    with pytest.raises(AnswerError):
        scored("1,5")


@settings(deadline=None)
@given(st.fractions(-1000, 1000, max_denominator=97), st.fractions(-1000, 1000, max_denominator=97))
def test_fractions_are_right_only_when_equal(key: Fraction, answer: Fraction) -> None:
    asked = NumericPart(kind="numeric", key=f"{key.numerator}/{key.denominator}")
    assert score_numeric(asked, {}, f"{answer.numerator}/{answer.denominator}", {}).points == (answer == key)
    assert score_numeric(asked, {}, f"{key.numerator * 3}/{key.denominator * 3}", {}).points == 1


@settings(deadline=None)
@given(st.fractions(Fraction(1, 100), 10_000, max_denominator=997))
def test_five_digits_are_always_enough(key: Fraction) -> None:
    asked = NumericPart(kind="numeric", key=f"{key.numerator}/{key.denominator}")
    digits = f"{float(key):.4e}"
    assert score_numeric(asked, {}, digits, {}).points == 1


def test_a_tolerance_is_a_formula_of_the_variant() -> None:
    wide = part("n", tolerance="1/n")
    assert score_numeric(wide, {"n": Fraction(10)}, "10.9", {}).points == 1
    assert score_numeric(wide, {"n": Fraction(100)}, "101.1", {}).points == 0
    assert tolerance_of(wide, {"n": Fraction(10)}) == Fraction(1, 10)
    with pytest.raises(FormulaError, match="a tolerance of"):
        tolerance_of(wide, {"n": Fraction(4)})
