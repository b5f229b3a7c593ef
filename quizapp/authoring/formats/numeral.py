"""Numbers as foreign files write them, read and written exactly."""

import re
from fractions import Fraction

MAX_DIGITS = 40
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?")
_FRACTION = re.compile(r"([-+]?[0-9]+)\s*/\s*([0-9]+)")


def read_number(text: str) -> Fraction | None:
    """The number that a text is, or ``None``. ``3``, ``-2.5``, ``1e-3`` and ``8/3`` are; a comma is no decimal point."""
    text = text.strip()
    if len(text) > MAX_DIGITS:
        return None
    if found := _FRACTION.fullmatch(text):
        return Fraction(int(found[1]), int(found[2])) if int(found[2]) else None
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def decimal(value: Fraction) -> str:
    """A number for programs that know no fractions: to twelve significant digits."""
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    return f"{float(value):.12g}"


def formula(value: Fraction) -> str:
    """A number as a bank writes it, exactly: ``3``, ``2.25``, ``8/3``."""
    if value.denominator == 1:
        return str(value.numerator)
    places, rest = 0, value.denominator
    while rest % 10 == 0:
        places, rest = places + 1, rest // 10
    twos = fives = 0
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    places += max(twos, fives)
    if rest != 1 or places > 12:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
