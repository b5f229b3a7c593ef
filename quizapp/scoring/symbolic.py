"""Scores a derivation: is the learner's expression the key everywhere on the declared domain?

Decided by probing at points of the domain that depend on the question alone, exactly where both sides are rational and with 50
digits otherwise. Undecided is an error, never a guess. Reading what was typed is ``quizapp.scoring.notation``.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Literal

from quizapp.model.formula import Formula, FormulaError, Scalar, UndefinedValue, Value
from quizapp.model.question import SymbolicPart
from quizapp.model.score import Score
from quizapp.model.variant import fill, number
from quizapp.scoring.answer import AnswerError, sentence, single, span
from quizapp.scoring.notation import read_expression

POINTS = 20
"""Points at which the key has a value and the answer is compared with it."""
ATTEMPTS = 40 * POINTS
GRAIN = 9973
"""Denominator of the drawn values of symbols that aren't integers; a prime, so that simple coincidences don't happen."""
SAME = Fraction(1, 10**30)
OTHER = Fraction(1, 10**20)
"""Relative differences of irrational values below which they are the same, and above which they differ."""
MAX_FACTOR_POWER = 2

Domain = tuple[tuple[str, int, int, bool], ...]
"""Name, lowest, highest, integer; sorted by name."""
Point = Mapping[str, Value]
Answers = tuple[Scalar | None, ...]
"""Values at the points; ``None`` where there is none."""


def _domain(part: SymbolicPart) -> Domain:
    return tuple(sorted((name, *symbol.range, symbol.integer) for name, symbol in part.symbols.items()))


def _values(formula: Formula, points: Sequence[Point]) -> Answers:
    values: list[Scalar | None] = []
    for point in points:
        try:
            values.append(formula.scalar(point))
        except UndefinedValue:
            values.append(None)
    return tuple(values)


@lru_cache(maxsize=1024)
def _probe(key: str, domain: Domain) -> tuple[tuple[Point, ...], Answers]:
    """The points of a question, and the key's values there."""
    formula = Formula.parse(key)
    seed = hashlib.sha256(f"{key}\n{domain}".encode()).digest()
    draw = random.Random(seed)
    points: list[Point] = []
    values: list[Scalar | None] = []
    for _ in range(ATTEMPTS):
        point = {
            name: Fraction(draw.randint(low, high)) if integer else Fraction(draw.randint(low * GRAIN, high * GRAIN), GRAIN)
            for name, low, high, integer in domain
        }
        (value,) = _values(formula, (point,))
        if value is not None:
            points.append(point)
            values.append(value)
        if len(points) == POINTS:
            return tuple(points), tuple(values)
    raise FormulaError(f"the key {key!r} has no value at most points of its domain")


@lru_cache(maxsize=4096)
def _other(formula: str, key: str, domain: Domain) -> Answers:
    """The values of another formula of the bank at the points of the question."""
    return _values(Formula.parse(formula), _probe(key, domain)[0])


def _difference(left: Scalar, right: Scalar) -> Any:
    """The relative difference; exactly 0 for equal rationals."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return Fraction(0) if left == right else Fraction(1)
    import mpmath  # type: ignore[import-untyped]

    left, right = (mpmath.mpf(v.numerator) / v.denominator if isinstance(v, Fraction) else v for v in (left, right))
    scale = max(abs(left), abs(right))
    return 0 if scale == 0 else abs(left - right) / scale


def _relation(given: Answers, wanted: Answers) -> Literal["same", "other", "undecided"]:
    """How two rows of values relate. A point without a value on either side says nothing, but most must have one."""
    pairs = [(a, b) for a, b in zip(given, wanted, strict=True) if a is not None and b is not None]
    if not pairs:
        return "undecided"
    close = 0
    for a, b in pairs:
        difference = _difference(a, b)
        if difference and difference >= _as(difference, OTHER):
            return "other"
        close += not difference or difference <= _as(difference, SAME)
    if close < len(pairs):
        return "undecided"
    defined = sum(value is not None for value in wanted)
    return "same" if 2 * len(pairs) > defined else "other"


def _as(like: Any, value: Fraction) -> Any:
    return value if isinstance(like, Fraction) else float(value)


def _factor(given: Answers, wanted: Answers, points: Sequence[Point], domain: Domain) -> str | None:
    """The factor by which the answer is the key times a constant and small powers of symbols, as text, if any."""
    rows = [
        (a / b, point)
        for a, b, point in zip(given, wanted, points, strict=True)
        if isinstance(a, Fraction) and isinstance(b, Fraction) and a and b and all(point.values())
    ]
    if len(rows) < POINTS // 2:
        return None
    names = [name for name, *_ in domain]
    powers = range(-MAX_FACTOR_POWER, MAX_FACTOR_POWER + 1)
    candidates = sorted(product(powers, repeat=len(names)), key=lambda e: (sum(map(abs, e)), e)) if len(names) <= 4 else []
    for exponents in candidates:
        if sum(map(abs, exponents)) > MAX_FACTOR_POWER:
            break
        constant: Fraction | None = None
        for ratio, point in rows:
            left = ratio
            for name, exponent in zip(names, exponents, strict=True):
                value = point[name]
                if exponent and isinstance(value, Fraction):
                    left /= value**exponent
            if constant is None:
                constant = left
            elif constant != left:
                break
        else:
            if constant is not None and max(constant.numerator.bit_length(), constant.denominator.bit_length()) <= 20:
                return _written(constant, dict(zip(names, exponents, strict=True)))
    return None


def _written(constant: Fraction, exponents: Mapping[str, int]) -> str:
    def side(sign: int) -> list[str]:
        return [name if abs(e) == 1 else f"{name}^{abs(e)}" for name, e in exponents.items() if e * sign > 0]

    top, bottom = side(1), side(-1)
    above = [*([number(constant)] if constant != 1 or not top else []), *top]
    below = bottom[0] if len(bottom) == 1 else f"({'*'.join(bottom)})" if bottom else ""
    return "*".join(above) + (f"/{below}" if below else "")


def score_symbolic(part: SymbolicPart, answer: str, titles: Mapping[str, str], values: Mapping[str, Value] | None = None) -> Score:
    """Scores an expression against the key and the named wrong expressions.

    Args:
        titles: misconception id -> title.
        values: the variant's values, for the slots of notes.

    Raises:
        AnswerError: not an expression in the question's symbols, one that can't be told from the key, or one without a value.
        FormulaError: the key has no value on its domain (a fault of the bank).
    """
    formula = read_expression(answer, part.symbols)
    domain = _domain(part)
    points, wanted = _probe(part.key, domain)
    try:
        given = _values(formula, points)
    except FormulaError as error:
        raise AnswerError(f"The expression can't be worked out: {error}.") from None
    if all(value is None for value in given):
        raise AnswerError("The expression has no value anywhere on the domain of its symbols: it divides by zero there.")
    relation = _relation(given, wanted)
    if relation == "undecided":
        raise AnswerError("Whether this equals the key can't be decided; write it in a simpler form.")
    if relation == "same":
        return single(part.id, part.points, part.points, "Equal to the key on the whole domain.", evidence=span(answer))
    for wrong in part.wrong:
        if _relation(given, _other(wrong.value, part.key, domain)) == "same":
            title = titles.get(wrong.misconception, wrong.misconception)
            reason = sentence(f"This is what a known mistake gives: {title}")
            if wrong.note:
                reason = f"{reason} {sentence(fill(wrong.note, values or {}))}"
            return single(part.id, 0, part.points, reason, evidence=span(answer), misconceptions=(wrong.misconception,))
    asked = Formula.parse(part.key).names
    if asked and not formula.names:
        reason = (
            f"Not equal to the key: a number holds for some values at most. Write it in the symbols: {', '.join(sorted(asked))}."
        )
        return single(part.id, 0, part.points, reason, evidence=span(answer))
    factor = _factor(given, wanted, points, domain)
    if factor is not None:
        reason = f"Not equal to the key: it is {factor} times what is wanted."
    else:
        reason = "Not equal to the key, nor the key times a simple factor."
    return single(part.id, 0, part.points, reason, evidence=span(answer))
