"""Numbers as people type them: what they are read as, and what is refused instead of guessed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.scoring.answer import AnswerError
from quizapp.scoring.numerals import read_number


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("8/3", "8/3"),
        (" 8 / 3 ", "8/3"),
        ("8⁄3", "8/3"),
        ("-8/3", "-8/3"),
        ("8/-3", "-8/3"),
        ("2 2/3", "8/3"),
        ("-2 2/3", "-8/3"),
        ("2 and 2/3", "8/3"),
        ("½", "1/2"),
        ("2½", "5/2"),
        ("2 ½", "5/2"),
        ("−2", "-2"),
        ("+3", "3"),
        ("２．５", "5/2"),
        ("2.667", "2667/1000"),
        (".5", "1/2"),
        ("2.", "2"),
        ("2.25.", "9/4"),
        ("1,234.5", "2469/2"),
        ("1,234", "1234"),
        ("2,000,000", "2000000"),
        ("1 234", "1234"),
        ("1\u202f234\u202f567", "1234567"),
        ("1'234", "1234"),
        ("1_000", "1000"),
        ("1e-3", "1/1000"),
        ("1.5e3", "1500"),
        ("1.5×10^-3", "3/2000"),
        ("1.5 * 10**3", "1500"),
        ("10⁻³", "1/1000"),
        ("25%", "1/4"),
        ("12.5 %", "1/8"),
        ("= 2", "2"),
        ("x = 2", "2"),
        ("L_r = 4", "4"),
        ("global mean = 2", "2"),
        ("the answer is 2", "2"),
        ("answer: 2", "2"),
        ("≈2.67", "267/100"),
        ("~ 2.67", "267/100"),
        ("about 2", "2"),
        ("2.25 tokens", "9/4"),
        ("8/3 tokens per rank", "8/3"),
        ("(2+5+1)/3", "8/3"),
        ("12/6 = 2", "2"),
        ("8/3 ≈ 2.667", "8/3"),
        ("8/3 = 2.66", "8/3"),
        ("8/3 = 2.7", "8/3"),
        ("(3 + 1.5)/2 = 2.25", "9/4"),
        ("$2$", "2"),
        ("`2.5`", "5/2"),
        ("٣", "3"),
    ],
)
def test_is_read_as(typed: str, value: str) -> None:
    assert read_number(typed).value == Fraction(value)


@pytest.mark.parametrize(
    ("typed", "part_of_message"),
    [
        ("", "Give a number"),
        ("   ", "Give a number"),
        ("two", "can't be read as one number"),
        ("1,5", "(1.5)"),
        ("0,125", "(0.125)"),
        ("1.234,5", "(1234.5)"),
        ("1.234.567", "more than one point"),
        ("12,34", "(12.34)"),
        ("1 234/5", "two ways"),
        ("2 100/300", "two ways"),
        ("2, 3", "one number"),
        ("2 or 3", "one number"),
        ("2 3", "one number"),
        ("2 or so", "one number"),
        ("1–3", "not a range"),
        ("1..3", "not a range"),
        ("8/3 = 2.8", "two different numbers"),
        ("8/3 = 3", "two different numbers"),
        ("inf", "finite"),
        ("-inf", "finite"),
        ("NaN", "finite"),
        ("∞", "finite"),
        ("1e999", "too large"),
        ("1e-999999999", "too large or too small"),
        ("9" * 61, "digits"),
        ("9" * 300, "longer"),
        ("9**9**9", "no value"),
        ("1/0", "over zero"),
        ("1/(2-2)", "no value"),
        ("2k", "in full"),
        ("2 million", "in full"),
        ("3!", "can't be read"),
        ("0x10", "can't be read"),
        ("<3", "can't be read"),
        ("±2", "can't be read"),
        ("=", "can't be read"),
        ("2 == 2", "can't be read"),
    ],
)
def test_is_refused_with_a_reason(typed: str, part_of_message: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_number(typed)
    assert part_of_message in str(caught.value)
    assert "\n" not in str(caught.value).replace(repr(typed), "")


def test_a_reading_that_is_not_plain_is_told() -> None:
    assert read_number("1,234").note == "read as 1234"
    assert read_number("2-3").note == "read as -1"
    assert read_number("25%").note == "read as 0.25"
    assert read_number("2.25").note is None


def test_the_unit_of_the_question_may_be_left_out_but_not_changed() -> None:
    for typed in ("12", "12 ms", "12ms", "12 (ms)"):
        assert read_number(typed, "ms").value == 12
    assert read_number("3 tokens", "token").value == 3
    assert read_number("25%", "%").value == 25
    assert read_number("4 m", "m").value == 4
    with pytest.raises(AnswerError, match="in ms, not in 's'"):
        read_number("12 s", "ms")


def test_the_place_in_the_answer_is_that_of_the_number() -> None:
    for typed, number in (("mean = 2½ tokens", "2½"), ("≈ 1,234.5", "1,234.5"), ("  −8/3  ", "−8/3"), ("x = 10⁻³", "10⁻³")):
        numeral = read_number(typed)
        assert typed[numeral.start : numeral.end].strip() == number


def _groups(digits: str, sign: str) -> str:
    head = len(digits) % 3 or 3
    return sign.join([digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))])


def _written(value: Fraction) -> st.SearchStrategy[str]:
    """The ways in which people write a rational, exactly."""
    minus = "-" if value < 0 else ""
    size = abs(value)
    whole, rest = divmod(size, 1)
    ways = [f"{minus}{size.numerator}/{size.denominator}", f"{minus}{size.numerator} / {size.denominator}"]
    ways += [f"−{size.numerator}⁄{size.denominator}"] if minus else [f"+{size.numerator}/{size.denominator}"]
    if whole and rest and rest.numerator < 100:
        ways += [f"{minus}{whole} {rest.numerator}/{rest.denominator}", f"{minus}{whole} and {rest.numerator}/{rest.denominator}"]
    if not rest:
        ways += [
            f"{minus}{whole}",
            f"{minus}{whole}.",
            f"{minus}{whole}.0",
            f"{minus}{_groups(str(whole), ',')}",
            f"{minus}{_groups(str(whole), ' ')}",
        ]
    denominator = size.denominator
    while denominator % 10 == 0:
        denominator //= 10
    if 10**6 % denominator == 0 and size.denominator <= 10**6 and 10**6 % size.denominator == 0:
        places = str(size.numerator * (10**6 // size.denominator)).rjust(7, "0")
        plain = f"{places[:-6]}.{places[-6:]}"
        ways += [minus + plain, f"{minus}{places}e-6", f"{minus}{places} × 10^-6"]
        if len(places) > 6 and places[0] != "0":
            ways.append(f"{minus}{_groups(places[:-6], ',')}.{places[-6:]}")
    frames = ("{}", "= {}", "x = {}", "≈{}", "{} tokens", " {} ", "`{}`", "the answer is {}")
    return st.tuples(st.sampled_from(ways), st.sampled_from(frames)).map(lambda pair: pair[1].format(pair[0]))


RATIONALS = st.one_of(
    st.fractions(-(10**7), 10**7, max_denominator=1000),
    st.integers(-(10**9), 10**9).map(Fraction),
    st.integers(-(10**9), 10**9).map(lambda n: Fraction(n, 10**4)),
)


@settings(deadline=None)
@given(RATIONALS.flatmap(lambda value: st.tuples(st.just(value), _written(value))))
def test_every_way_of_writing_a_rational_reads_back(case: tuple[Fraction, str]) -> None:
    value, typed = case
    assert read_number(typed).value == value


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=30), st.text("0123456789.,/ -+*^()=≈%eE½²⁻×xinfa'_", max_size=24)))
def test_nothing_but_answer_errors(typed: str) -> None:
    try:
        numeral = read_number(typed)
    except AnswerError:
        return
    assert 0 <= numeral.start < numeral.end <= len(typed)
    assert any(c.isnumeric() for c in typed[numeral.start : numeral.end])
