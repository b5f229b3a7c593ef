"""Weights and ratios as people write them."""

from collections.abc import Sequence
from fractions import Fraction

LEAST_PART = 1 / 4096
"""The least 1/n that is said as one: beside a smaller number some 1/n lies by chance."""
CLOSE = 1e-6
"""Relative distance from a fraction within which a number is written as it."""


def _tells(fraction: Fraction) -> bool:
    """Whether a fraction is one that counts make. Among those with two long numbers, some lies beside any value by chance."""
    top, bottom = abs(fraction.numerator), fraction.denominator
    return bottom <= 64 or top <= 16 or abs(top - bottom) <= 2


def as_fraction(value: float) -> str:
    """A weight or a ratio as people write it: a small fraction where it is one, else four digits."""
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "infinity" if value > 0 else "-infinity"
    if abs(value) >= 1e6:
        return f"{value:.4g}"
    near = Fraction(value).limit_denominator(400)
    if LEAST_PART <= abs(value) < 1 / 400 and abs(1 / value - round(1 / value)) <= CLOSE / abs(value):
        near = Fraction(1, round(1 / value))
    if _tells(near) and abs(float(near) - value) <= CLOSE * max(1e-3, abs(value)):
        return str(near)
    return f"{value:.4g}"


def in_a_row(items: Sequence[object]) -> str:
    """``1``, ``0 and 2``, ``0, 1 and 3``: one item or more, as a sentence lists them."""
    return " and ".join(filter(None, (", ".join(map(str, items[:-1])), str(items[-1]))))
