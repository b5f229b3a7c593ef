"""One variant of an item: the values of its variables, and texts and options filled in with them.

Pure functions. Drawing values from a seed is ``quizapp.bank``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from quizapp.model.formula import Formula, Scalar, Value

_SLOT = re.compile(r"\{\{(.+?)\}\}")


@dataclass(frozen=True, slots=True)
class Variant:
    """The values that one learner sees."""

    seed: int | None
    """``None``: the values written in the bank, options in the bank's order."""
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """An option as shown: its letter belongs to this variant only, its id is stable."""

    letter: str
    id: str
    text: str
    value: Scalar | None
    key: bool
    misconception: str | None
    note: str | None


def number(value: Scalar) -> str:
    """A number as people write it: ``2``, ``2.25``, ``8/3``; irrational ones to six significant digits."""
    if not isinstance(value, Fraction):
        return f"{float(value):.6g}"
    if value.denominator == 1:
        return str(value.numerator)
    odd = value.denominator
    for prime in (2, 5):
        while odd % prime == 0:
            odd //= prime
    # Beyond seven characters it stays a fraction, and beyond 1e308 it would be no float.
    decimal = f"{float(value):.12g}" if odd == 1 and abs(value) < 10**7 else ""
    return decimal if decimal and len(decimal) <= 7 and Fraction(decimal) == value else f"{value.numerator}/{value.denominator}"


def shown(value: Value) -> str:
    """A value as people write it; a vector as a list."""
    return ", ".join(number(entry) for entry in value) if isinstance(value, tuple) else number(value)


def slots(text: str) -> list[tuple[int, str]]:
    """Offset and source of each ``{{ formula }}`` in a text."""
    return [(match.start(1), match.group(1)) for match in _SLOT.finditer(text)]


def fill(text: str, values: Mapping[str, Value]) -> str:
    """The text with each ``{{ formula }}`` replaced by its value.

    Raises:
        FormulaError: a slot that doesn't parse, or that has no value here.
    """
    return _SLOT.sub(lambda match: shown(Formula.parse(match.group(1)).value(values)), text)
