"""Expressions as people type them: read as what is meant, or refused with what to write instead."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.model.formula import Formula, FormulaError
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.notation import read_expression

SYMBOLS = ("R", "N", "L_r", "n_1")
POINT = {"R": 3, "N": 7, "L_r": 11, "n_1": 13}


def value(formula: Formula) -> object:
    from fractions import Fraction

    return formula.scalar({name: Fraction(number) for name, number in POINT.items()})


@pytest.mark.parametrize(
    "typed",
    [
        "R*L_r/N",
        "R L_r / N",
        "(R/N) L_r",
        "(R/N)·L_r",
        "(R/N)L_r",
        "L_r/(N/R)",
        "R × L_r ÷ N",
        "R⋅L_r∕N",
        "R∗L_r⁄N",
        r"\frac{R}{N} L_r",
        r"$\frac{R \cdot L_{r}}{N}$",
        r"\dfrac{R}{N}\,L_r",
        r"\left(\frac{R}{N}\right) L_{\text{r}}",
        r"R \times L_r / N",
        "RL_r/N",
        "R Lr/N",
        "R·Lᵣ/N",
        "R*L_{r}/N",
        "[R/N] L_r",
        "{R/N} L_r",
        "loss = R*L_r/N",
        "scaled loss = R L_r / N",
        "loss_r := R*L_r/N",
        "= R*L_r/N",
        "R*L_r/N.",
        "`R*L_r/N`",
        "R*L_r*N^-1",
        "R*L_r*N**(-1)",
        "R L_r N⁻¹",
        "R^2 L_r / (N R)",
        "R²·L_r/(R·N)",
        "--R*L_r/N",
        "+R*L_r/N",
        "1/N*R*L_r",
        "R(L_r)/N",
        "(L_r/N)R",
        "√(R^2)*L_r/N",
        "0.5*2R*L_r/N",
        "R*L_r/max(N, 1)",
        "exp(0) R L_r/N",
        "ln(exp(0)) + R*L_r/N",
        "007R*L_r/(7*N)",
        "(((R)))*L_r/N",
        "R\u00a0L_r/N",
        "R\nL_r/N",
        "loss(r) = R*L_r/N",
    ],
)
def test_spellings_of_one_expression(typed: str) -> None:
    assert value(read_expression(typed, SYMBOLS)) == value(Formula.parse("R*L_r/N"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("-R^2", "-(R**2)"),
        ("2^-1", "1/2"),
        ("R^N^0", "R"),
        ("2R", "2*R"),
        ("2 R N", "2*R*N"),
        ("R - -N", "R + N"),
        ("N n₁", "N*n_1"),
        ("Nn1", "N*n_1"),
        ("1/(R N)", "1/(R*N)"),
        ("R/N/2", "R/(2*N)"),
        ("R + N L_r", "R + N*L_r"),
        ("abs(-R)", "R"),
        ("sqrt 4", "2"),
        ("√4 R", "2*R"),
        ("1e1R", "10*R"),
        ("min(R, N, 2)", "2"),
        ("floor(N/R)", "2"),
    ],
)
def test_is_read_as(typed: str, meant: str) -> None:
    assert value(read_expression(typed, SYMBOLS)) == value(Formula.parse(meant))


@pytest.mark.parametrize(
    ("typed", "part_of_message"),
    [
        ("", "L_r, N, R, n_1"),
        ("foo*R", "known are L_r, N, R, n_1"),
        ("n*R", "'n' is not a symbol"),
        ("R*L", "'L' is not a symbol"),
        ("R/N L_r", "two ways"),
        ("1/2 R", "two ways"),
        ("1/R(N)", "two ways"),
        ("R 2", "What joins 2"),
        ("2 3", "What joins 3"),
        ("R*", "too early"),
        ("R+", "too early"),
        ("*R", "missing before '*'"),
        ("(R", "never closed"),
        ("R)", "doesn't fit"),
        ("()", "missing before ')'"),
        ("[R)", "never closed"),
        ("R L_r/N = L_r", "more than one side"),
        ("a = b = R", "more than one side"),
        ("R == N", "more than one side"),
        ("R; N", "sign ';'"),
        ("R # N", "sign '#'"),
        ("R'", "sign"),
        ("sum(L_r)", "not a symbol"),
        ("sqrt", "too early"),
        ("exp R", "parentheses"),
        ("exp(R, N)", "one argument"),
        (r"\int R", "can't be read"),
        (r"\frac R N", "braces"),
        ("R.grad", "sign '.'"),
        ("(" * 100, "nested"),
        ("R" * 501, "longer than"),
        ("*".join(["R"] * 240), "too long"),
        ("R < N", "sign '<'"),
        ("R, N", "doesn't fit"),
        ("1,5*R", "doesn't fit"),
        ("^".join("R" * 60), "nested"),
        ("Rank", "not a symbol"),
        ("__import__('os')", "sign"),
        ("R if N else 1", "not a symbol"),
        ("lambda: R", "sign ':'"),
    ],
)
def test_is_refused_with_a_reason(typed: str, part_of_message: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_expression(typed, SYMBOLS)
    assert part_of_message in str(caught.value)


def test_a_run_of_letters_with_two_readings_is_refused() -> None:
    with pytest.raises(AnswerError, match="more than one product"):
        read_expression("abc", ("a", "bc", "ab", "c"))
    assert read_expression("ab", ("a", "b", "ab")).names == {"ab"}, "a symbol of its own comes first"


def test_a_short_spelling_that_two_symbols_share_is_unknown() -> None:
    with pytest.raises(AnswerError):
        read_expression("ab1", ("a_b1", "ab_1"))


def test_greek_letters() -> None:
    assert read_expression("α β", ("alpha", "beta")).names == {"alpha", "beta"}
    assert read_expression(r"\alpha\beta", ("alpha", "beta")).names == {"alpha", "beta"}


Pair = tuple[str, str]
"""An expression in the formula language, and a lenient spelling of it."""
ATOMS = st.one_of(
    st.sampled_from([("R", "R"), ("N", "N"), ("L_r", "L_r"), ("L_r", "L_{r}"), ("L_r", "Lr"), ("L_r", "Lᵣ"), ("n_1", "n₁")]),
    st.integers(1, 30).map(lambda n: (str(n), str(n))),
)


def _joined(parts: tuple[Pair, str, Pair]) -> Pair:
    (a, x), sign, (b, y) = parts
    meant = {"juxtaposed": "*", "·": "*", "×": "*", "\\cdot ": "*", "÷": "/", "frac": "/", "−": "-"}.get(sign, sign)
    strict = f"(({a}){meant}({b}))"
    if sign == "frac":
        return strict, f"\\frac{{{x}}}{{{y}}}"
    if sign == "juxtaposed":
        return strict, f"({x})({y})"
    return strict, f"(({x}) {sign} ({y}))"


EXPRESSIONS: st.SearchStrategy[Pair] = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "juxtaposed", "·", "×", "\\cdot ", "÷", "frac", "−"]), inner).map(
            _joined
        ),
        inner.map(lambda pair: (f"(-({pair[0]}))", f"(−({pair[1]}))")),
        st.tuples(ATOMS, st.integers(0, 3)).map(lambda p: (f"({p[0][0]}**{p[1]})", f"({p[0][1]}^{{{p[1]}}})")),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(EXPRESSIONS)
def test_lenient_spelling_keeps_the_value(pair: Pair) -> None:
    strict, lenient = pair
    try:
        wanted = value(Formula.parse(strict))
    except FormulaError as error:
        with pytest.raises(type(error)):
            value(read_expression(lenient, SYMBOLS))
        return
    assert value(read_expression(lenient, SYMBOLS)) == wanted


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["R", "N", "L_r", "n_1"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["R", "N", "L_r"]), max_size=3),
)
def test_products_without_signs(top: list[str], bottom: list[str]) -> None:
    typed = " ".join(top) + (f" / ({' '.join(bottom)})" if bottom else "")
    strict = "*".join(top) + (f"/({'*'.join(bottom)})" if bottom else "")
    assert value(read_expression(typed, SYMBOLS)) == value(Formula.parse(strict))


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from([*string.printable, "L_r", "√", "²", "₁", "α", "\\frac", "·"]), max_size=30).map("".join),
    )
)
def test_nothing_but_answer_errors(typed: str) -> None:
    try:
        formula = read_expression(typed, SYMBOLS)
    except AnswerError:
        return
    assert formula.names <= set(SYMBOLS)
