"""The formula language: exact, bounded, and never in another way broken than by its own error."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quizapp.model.formula import Formula, FormulaError, UndefinedValue

VALUES = {
    "R": Fraction(3),
    "N": Fraction(6),
    "n": (Fraction(2), Fraction(1), Fraction(3)),
    "S": (Fraction(4), Fraction(5), Fraction(3)),
}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("sum(S)/sum(n)", Fraction(2)),
        ("mean(S/n)", Fraction(8, 3)),
        ("R*S[0]/N", Fraction(2)),
        ("R*S/N", (Fraction(2), Fraction(5, 2), Fraction(3, 2))),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("1_000", Fraction(1000)),
        ("2**-2", Fraction(1, 4)),
        ("-2**2", Fraction(-4)),
        ("7 % 3", Fraction(1)),
        ("-7 % 3", Fraction(2)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("4**0.5", Fraction(2)),
        ("4**-0.5", Fraction(1, 2)),
        ("exp(0) + log(1)", Fraction(1)),
        ("max(n) - min(n)", Fraction(2)),
        ("max(n, 2)", (Fraction(2), Fraction(2), Fraction(3))),
        ("len(n)", Fraction(3)),
        ("floor(7/2) + ceil(7/2)", Fraction(7)),
        ("floor(-7/2)", Fraction(-4)),
        ("abs(-R)", Fraction(3)),
        ("2 < R <= 3", Fraction(1)),
        ("not R == 3 or N != 6", Fraction(0)),
        ("n[2] == 3 and n[0] != n[1]", Fraction(1)),
        ("(1\n + 2)", Fraction(3)),
    ],
)
def test_values_are_exact(source: str, value: object) -> None:
    assert Formula.parse(source).value(VALUES) == value


@pytest.mark.parametrize(
    "source", ["sqrt(2) < 3/2", "max(sqrt(2), 1) == sqrt(2)", "sqrt(2) % 1 < 0.5", "ceil(-sqrt(2)) == -1", "2**0.5 > 1"]
)
def test_irrational_numbers_have_an_order(source: str) -> None:
    assert Formula.parse(source).holds({})


def test_irrational_numbers_have_fifty_digits() -> None:
    assert Formula.parse("abs(sqrt(2)**2 - 2) < 1e-48").holds({})


@pytest.mark.parametrize(
    ("source", "offset"),
    [
        ("", 0),
        ("   ", 0),
        ("f(x)", 0),
        ("1 + foo(2)", 4),
        ("é + foo(2)", 4),
        ("  x + q(1)", 6),
        ("1 + 'a'", 4),
        ("x # y", 2),
        ("1 + True", 4),
        ("1 + 2j", 4),
        ("x.real", 0),
        ("[i for i in n]", 0),
        ("lambda: 1", 0),
        ("sum(n, n)", 0),
        ("1 + 1e99999", 4),
        ("1 if R else 2", 0),
        ("n[0:1]", 2),
        ("R + 1or 2", 4),
    ],
)
def test_faults_have_their_offset(source: str, offset: int) -> None:
    with pytest.raises(FormulaError) as caught:
        Formula.parse(source)
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    "source", ["1/0", "1/(R - 3)", "log(0)", "log(R - 4)", "sqrt(2 - R)", "0**-1", "mean([])", "min([])", "5 % 0", "(0-1)**0.5"]
)
def test_no_value_here(source: str) -> None:
    with pytest.raises(UndefinedValue):
        Formula.parse(source).value(VALUES)


@pytest.mark.parametrize(
    "source",
    [
        "x",
        "n + [1, 2]",
        "n[3]",
        "n[1/2]",
        "n < 2",
        "[n, n]",
        "2**65",
        "((2**64)**64)**64",
        "floor(exp(4000)**64)",
        "exp(99999)",
        "(3**60)**60 * (3**60)**60",
        "not n",
    ],
)
def test_values_out_of_bounds_are_formula_errors(source: str) -> None:
    with pytest.raises(FormulaError) as caught:
        Formula.parse(source).value(VALUES)
    assert not isinstance(caught.value, UndefinedValue)


@pytest.mark.parametrize("source", ["+".join(["1"] * 500), "(" * 300 + "1" + ")" * 300, "-" * 900 + "1", "1" * 3000, "[" * 500])
def test_too_much_is_refused_at_once(source: str) -> None:
    with pytest.raises(FormulaError):
        Formula.parse(source)


def test_names_are_collected() -> None:
    assert Formula.parse("sum(S)/N + R*0").names == {"S", "N", "R"}


Tree = tuple[str, Fraction | None]
"""Formula text, and its value as ``Fraction`` arithmetic gives it (``None``: undefined)."""


def _combined(parts: tuple[Tree, str, Tree]) -> Tree:
    (left, a), sign, (right, b) = parts
    text = f"({left} {sign} {right})"
    if a is None or b is None or (sign == "/" and b == 0):
        return text, None
    return text, {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else Fraction(0)}[sign]


def _summed(rows: list[Tree]) -> Tree:
    values = [value for _, value in rows]
    return f"sum([{', '.join(text for text, _ in rows)}])", None if None in values else sum(
        (v for v in values if v is not None), Fraction(0)
    )


LEAVES = st.one_of(
    st.integers(0, 99).map(lambda n: (str(n), Fraction(n))),
    st.decimals(0, 99, places=3).map(lambda d: (f"{d:f}", Fraction(d))),
    st.sampled_from(["R", "N"]).map(lambda name: (name, {"R": Fraction(3), "N": Fraction(6)}[name])),
)
TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(_combined),
        st.lists(inner, min_size=1, max_size=3).map(_summed),
        inner.map(lambda tree: (f"-{tree[0]}", None if tree[1] is None else -tree[1])),
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(TREES)
def test_agrees_with_fraction_arithmetic(tree: Tree) -> None:
    text, value = tree
    formula = Formula.parse(text)
    if value is None:
        with pytest.raises(UndefinedValue):
            formula.value(VALUES)
    else:
        assert formula.value(VALUES) == value


@settings(deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_vectors_work_elementwise(entries: list[int]) -> None:
    values: Mapping[str, tuple[Fraction, ...]] = {"v": tuple(map(Fraction, entries))}
    assert Formula.parse("sum(v*v)").value(values) == sum(e * e for e in entries)
    assert Formula.parse("mean(1/v)").value(values) == sum((Fraction(1, e) for e in entries), Fraction(0)) / len(entries)
    assert Formula.parse("max(v) * min(v)").value(values) == max(entries) * min(entries)
    product = "*".join(f"v[{at}]" for at in range(len(entries)))
    assert Formula.parse(product).value(values) == prod(entries)


ALPHABET = st.sampled_from(
    [
        *"RNnSx0123456789.+-*/%()[], eE_<>=!'\"\\#{}@:\n\t",
        "sum(",
        "exp(",
        "sqrt(",
        "**",
        "not ",
        " or ",
        "lambda",
        "é",
        "½",
        "\x00",
        "\ud800",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(ALPHABET, max_size=40).map("".join))
@example("9**9**9**9")
@example("exp(exp(exp(9)))")
@example("1e999999999999")
@example("0x")
@example("1__0")
@example("1.e")
def test_nothing_but_formula_errors(source: str) -> None:
    offset = _fault(source)
    assert offset is None or 0 <= offset <= len(source)


def _fault(source: str) -> int | None:
    try:
        Formula.parse(source).value(VALUES)
    except FormulaError as error:
        return error.offset
    return None
