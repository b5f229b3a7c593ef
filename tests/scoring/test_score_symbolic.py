"""Derivations: equal everywhere on the domain, named, off by a factor, or undecided, and never a guess."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.model.formula import FormulaError
from quizapp.model.question import SymbolicPart
from quizapp.model.score import Score
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.symbolic import score_symbolic

TITLES = {"forgot-world-size-factor": "the factor R left out"}
SYMBOLS = {
    "R": {"range": [2, 64], "integer": True, "meaning": "ranks"},
    "N": {"range": [1, 4096], "integer": True, "meaning": "valid tokens of all ranks"},
    "L_r": {"range": [1, 100], "meaning": "the local loss sum"},
}


def scored(answer: str, key: str = "R*L_r/N", symbols: dict[str, Any] | None = None, points: int = 2, **wrong: str) -> Score:
    named = [{"value": value, "misconception": name.replace("_", "-")} for name, value in wrong.items()]
    part = SymbolicPart.model_validate(
        {"kind": "symbolic", "points": points, "key": key, "symbols": symbols or SYMBOLS, "wrong": named}
    )
    return score_symbolic(part, answer, TITLES)


@pytest.mark.parametrize(
    "answer",
    [
        "R*L_r/N",
        "R L_r / N",
        "(R/N)·L_r",
        "L_r/(N/R)",
        "exp(log(R) + log(L_r) - log(N))",
        "sqrt(R^2) L_r / N",
        "√R √R L_r/N",
        "R^2 L_r/(R N)",
    ],
)
def test_equal_expressions_are_right(answer: str) -> None:
    score = scored(answer)
    assert (score.points, score.outcome) == (2, "right")
    assert score.criteria[0].evidence == ((0, len(answer)),)


@pytest.mark.parametrize("answer", ["7/56", "0.125", "sqrt(4)"])
def test_figures_are_told_to_be_written_in_the_symbols(answer: str) -> None:
    score = scored(answer)
    assert score.points == 0
    assert "Write it in the symbols" in score.criteria[0].reason
    assert "times what is wanted" not in score.criteria[0].reason


def test_a_number_may_be_a_known_mistake_or_the_key() -> None:
    assert scored("1", forgot_world_size_factor="1").misconceptions == ("forgot-world-size-factor",)
    assert "symbols" not in scored("3", key="2").criteria[0].reason


def test_a_known_mistake_is_named() -> None:
    score = scored("L_r / N", forgot_world_size_factor="L_r/N")
    assert (score.points, score.misconceptions) == (0, ("forgot-world-size-factor",))
    assert "the factor R left out" in score.criteria[0].reason


@pytest.mark.parametrize(
    ("answer", "factor"),
    [
        ("2 R L_r/N", "2 times"),
        ("-R L_r/N", "-1 times"),
        ("R L_r", " N times"),
        ("L_r/N", "1/R times"),
        ("L_r", "N/R times"),
        ("R L_r/N^2", "1/N times"),
        ("R N L_r", "N^2 times"),
        ("R L_r/(3 N)", "1/3 times"),
        ("3 L_r/(2 N)", "1.5/R times"),
        ("1/N", "1/(L_r*R) times"),
    ],
)
def test_a_simple_factor_is_told(answer: str, factor: str) -> None:
    score = scored(answer)
    assert score.points == 0
    assert factor in score.criteria[0].reason


@pytest.mark.parametrize(
    "answer", ["R*L_r/N + 1e-9", "R*L_r/N + 1", "R + L_r", "R*L_r/(N+1)", "R*L_r/N + exp(-40)", "exp(R)", "0", "R*L_r/max(N, 2)"]
)
def test_other_expressions_are_wrong(answer: str) -> None:
    score = scored(answer, symbols={**SYMBOLS, "N": {"range": [1, 3], "integer": True, "meaning": "few tokens"}})
    assert (score.points, score.misconceptions) == (0, ())


def test_a_difference_of_no_consequence_on_the_domain_is_none() -> None:
    assert scored("R*L_r/max(N, 1)").points == 2


def test_a_guard_against_zero_matters_where_zero_is_in_the_domain() -> None:
    symbols = {**SYMBOLS, "N": {"range": [0, 3], "integer": True, "meaning": "valid tokens"}}
    assert scored("R*L_r/max(N, 1)", "R*L_r/max(N, 1)", symbols).points == 2
    assert scored("R*L_r/N", "R*L_r/N", symbols).points == 2, "points without a value say nothing"


@pytest.mark.parametrize("answer", ["L_r/(R-R)", "log(0-R)", "sqrt(0-N)"])
def test_no_value_anywhere_is_an_error(answer: str) -> None:
    with pytest.raises(AnswerError, match="no value anywhere"):
        scored(answer)


def test_what_can_not_be_told_from_the_key_is_an_error() -> None:
    with pytest.raises(AnswerError, match="can't be decided"):
        scored("R + 10^-24 exp(1)", "R")


def test_an_expression_with_a_value_at_few_points_is_not_equal() -> None:
    assert scored("R + sqrt(R - 63) - sqrt(R - 63)", "R").points == 0


def test_numbers_that_grow_too_large_are_an_error() -> None:
    with pytest.raises(AnswerError, match="worked out"):
        scored("9^64^64")


def test_a_key_without_a_value_is_the_banks_fault() -> None:
    with pytest.raises(FormulaError):
        scored("R", "1/(R-R)")


def test_points_do_not_depend_on_the_answer_or_the_run() -> None:
    assert [scored("R*L_r/(N+1)") for _ in range(3)] == [scored("R*L_r/(N+1)")] * 3


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(-2, 2), st.integers(-2, 2))
def test_rational_identities(a: int, b: int, i: int, j: int) -> None:
    key = f"R*L_r/N + {a}/{b}"
    assert scored(f"({b} R L_r + {a} N)/({b} N)", key).points == 2
    assert (scored(f"R L_r/N + {a}/{b} + {i}*{j}", key).points == 2) == (i * j == 0)


def test_an_answer_takes_a_few_milliseconds() -> None:
    answers = ["R*L_r/N", "L_r/N", "(R/N) L_r", "R*L_r/N^2 + R", "2 R L_r/N", "R (L_r + N)/N - R", "exp(log(R)+log(L_r)-log(N))"]
    for answer in answers:
        scored(answer)
    times = []
    for answer in answers * 15:
        start = time.process_time()
        scored(answer)
        times.append(time.process_time() - start)
    assert sorted(times)[len(times) // 2] < 0.05
