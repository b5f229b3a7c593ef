"""Scores a number: right, right but too coarse, a wrong number that has a name, or just wrong."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, log10

from quizapp.model.formula import Formula, FormulaError, Scalar, UndefinedValue, Value
from quizapp.model.question import MAX_TOLERANCE, NumericPart
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.scoring.answer import sentence, single
from quizapp.scoring.numerals import Numeral, read_number

MOST_DIGITS = 12


def tolerance_of(part: NumericPart, values: Mapping[str, Value]) -> Fraction:
    """The part's relative tolerance in this variant, in ``(0, MAX_TOLERANCE]``.

    Raises:
        FormulaError: it has no value there, or one out of these bounds (a fault of the bank).
    """
    tolerance, _ = _rational(Formula.parse(part.tolerance).scalar(values))
    if not 0 < tolerance <= MAX_TOLERANCE:
        raise FormulaError(f"a tolerance of {float(tolerance):g}, which must be more than 0 and at most {float(MAX_TOLERANCE):g}")
    return tolerance


def _rational(value: Scalar) -> tuple[Fraction, bool]:
    """A formula's value as a rational, and whether it is the value itself (an irrational one is 50 digits of it)."""
    if isinstance(value, Fraction):
        return value, True
    sign, mantissa, exponent, _ = value._mpf_
    return (-1 if sign else 1) * int(mantissa) * Fraction(2) ** int(exponent), False


def _gives(numeral: Numeral, target: Fraction, whole: bool, tolerance: Fraction) -> bool:
    """Whether the numeral gives the target: exactly where it is a fraction or both are integers, else within the tolerance."""
    if numeral.value == target:
        return True
    claims_exact = numeral.exact and (numeral.place is None or target.denominator == 1)
    if claims_exact and whole:
        return False
    return abs(numeral.value - target) <= tolerance * (abs(target) or 1)


def _rounds(numeral: Numeral, target: Fraction) -> bool:
    """Whether the numeral is the target rounded, or cut off, to the digits given."""
    if numeral.place is None or numeral.value == 0:
        return False
    scaled, given = target / numeral.place, numeral.value / numeral.place
    return abs(scaled - given) <= Fraction(1, 2) or (given in (floor(scaled), ceil(scaled)) and abs(given) <= abs(scaled))


def _digits_wanted(target: Fraction, tolerance: Fraction) -> int:
    """Fewest significant digits at which every rounding is within the tolerance."""
    lead = floor(log10(abs(target)))
    for digits in range(1, MOST_DIGITS):
        if Fraction(10) ** (lead - digits + 1) / 2 <= tolerance * abs(target):
            return digits
    return MOST_DIGITS


def _percent(tolerance: Fraction) -> str:
    return f"{float(tolerance) * 100:.3g} %"


def score_numeric(part: NumericPart, values: Mapping[str, Value], answer: str, titles: Mapping[str, str]) -> Score:
    """Scores a number against the key and the named wrong numbers of this variant.

    Fractions and integers are compared exactly, decimals within the part's tolerance of the key's size. A decimal that is the key
    rounded further than that earns nothing and is told how many digits are wanted. A wrong number that equals one of
    ``part.wrong`` is named.

    Args:
        values: the variant's values.
        titles: misconception id -> title.

    Raises:
        AnswerError: the answer isn't one number.
        FormulaError: the key or the tolerance has no value in this variant (a fault of the bank).
    """
    numeral = read_number(answer, part.unit)
    tolerance = tolerance_of(part, values)
    key, whole = _rational(Formula.parse(part.key).scalar(values))
    given = answer[numeral.start : numeral.end].strip()
    shown = f"{given} ({numeral.note})" if numeral.note else given
    evidence = ((numeral.start, numeral.end),)

    named = _named(part, values, numeral, tolerance, key)
    if named is None and _gives(numeral, key, whole, tolerance):
        close = "" if numeral.value == key else f", within the stated tolerance of {_percent(tolerance)}"
        return single(part.id, part.points, part.points, f"{shown} is right{close}.", evidence=evidence)
    if named is not None:
        misconception, note = named
        title = titles.get(misconception, misconception)
        reason = " ".join(filter(None, (sentence(f"{shown} is what this mistake gives: {title}"), note and sentence(note))))
        return single(part.id, 0, part.points, reason, evidence=evidence, misconceptions=(misconception,))
    if numeral.exact and numeral.place is None and abs(numeral.value - key) <= tolerance * (abs(key) or 1):
        reason = f"{shown} is close, but a fraction is compared exactly, and this one is not the value asked for."
    elif _rounds(numeral, key):
        wanted = _digits_wanted(key, tolerance)
        reason = f"{shown} is too coarse: give at least {wanted} significant digits, or a fraction."
    elif numeral.value == -key:
        reason = f"{shown} has the right size and the wrong sign."
    else:
        reason = f"{shown} is not the value asked for."
    return single(part.id, 0, part.points, reason, evidence=evidence)


def _named(
    part: NumericPart, values: Mapping[str, Value], numeral: Numeral, tolerance: Fraction, key: Fraction
) -> tuple[str, str | None] | None:
    """The misconception whose number this is, where that lies nearer than the key."""
    best: tuple[Fraction, str, str | None] | None = None
    for wrong in part.wrong:
        try:
            target, whole = _rational(Formula.parse(wrong.value).scalar(values))
        except UndefinedValue:
            continue  # a mistake that gives no number in this variant can't be what was typed
        distance = abs(numeral.value - target)
        if target == key or distance >= abs(numeral.value - key):
            continue
        if (_gives(numeral, target, whole, tolerance) or (_rounds(numeral, target) and numeral.value != key)) and (
            best is None or distance < best[0]
        ):
            best = distance, wrong.misconception, wrong.note and fill(wrong.note, values)
    return None if best is None else (best[1], best[2])
