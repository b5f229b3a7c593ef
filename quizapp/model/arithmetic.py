"""The arithmetic of formulas: exact rationals, 50 digits where a value is irrational, vectors entry by entry.

Here: what the operations and functions give. Not here: the language (``quizapp.model.formula``) and the walk over a formula
(``quizapp.model.evaluation``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

Scalar: TypeAlias = Fraction | Any
"""An exact ``Fraction``, or an ``mpmath.mpf`` where the value is irrational."""
Value: TypeAlias = Scalar | tuple[Scalar, ...]
"""A scalar, or a vector of scalars."""

MAX_EXPONENT = 64
MAX_BITS = 8_192
DIGITS = 50


class FormulaError(ValueError):
    """A formula that can't be read or evaluated.

    ``offset`` is the 0-based character in the text at which the fault lies, or ``None`` for a fault of the values.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


class UndefinedValue(FormulaError):
    """The formula is well formed but has no value here: a division by zero, or the log of a number that isn't positive."""


def _mp() -> Any:
    import mpmath  # type: ignore[import-untyped]

    mpmath.mp.dps = max(mpmath.mp.dps, DIGITS)
    return mpmath


def _mpf(value: Scalar) -> Any:
    mpmath = _mp()
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def bounded(value: Scalar) -> Scalar:
    if isinstance(value, Fraction):
        size = max(value.numerator.bit_length(), value.denominator.bit_length())
    else:
        size = abs(_mp().mag(value)) if value else 0
    if size > MAX_BITS:
        raise FormulaError("the numbers grow too large")
    return value


def _exact_root(value: Fraction) -> Fraction | None:
    from math import isqrt

    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    exact = top * top == value.numerator and bottom * bottom == value.denominator
    return Fraction(top, bottom) if exact else None


def compare(left: Scalar, right: Scalar) -> int:
    """-1, 0 or 1. A ``Fraction`` and an ``mpf`` have no order of their own."""
    if not (isinstance(left, Fraction) and isinstance(right, Fraction)):
        left, right = _mpf(left), _mpf(right)
    return (left > right) - (left < right)


def _floor(value: Scalar) -> Scalar:
    return Fraction(value.__floor__() if isinstance(value, Fraction) else int(_mp().floor(value)))


def _ceil(value: Scalar) -> Scalar:
    return -_floor(-value)


def _modulo(left: Scalar, right: Scalar) -> Scalar:
    return left - right * _floor(bounded(_divide(left, right)))


def _sqrt(value: Scalar) -> Scalar:
    if value < 0:
        raise UndefinedValue("the square root of a negative number")
    root = _exact_root(value) if isinstance(value, Fraction) else None
    return _mp().sqrt(_mpf(value)) if root is None else root


def _exp(value: Scalar) -> Scalar:
    if value == 0:
        return Fraction(1)
    if compare(abs(value), Fraction(MAX_BITS // 2)) > 0:
        raise FormulaError("the numbers grow too large")
    return _mp().exp(_mpf(value))


def _log(value: Scalar) -> Scalar:
    if value <= 0:
        raise UndefinedValue("the log of a number that is not positive")
    return Fraction(0) if value == 1 else _mp().log(_mpf(value))


def _divide(left: Scalar, right: Scalar) -> Scalar:
    if right == 0:
        raise UndefinedValue("a division by zero")
    return left / right


def _power(base: Scalar, exponent: Scalar) -> Scalar:
    if compare(abs(exponent), Fraction(MAX_EXPONENT)) > 0:
        raise FormulaError(f"an exponent beyond {MAX_EXPONENT}")
    if base == 0 and exponent < 0:
        raise UndefinedValue("a division by zero")
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length()) if isinstance(base, Fraction) else 0
        if bits * abs(int(exponent)) > MAX_BITS:
            raise FormulaError("the numbers grow too large")
        return base ** int(exponent)
    if base < 0:
        raise UndefinedValue("a fractional power of a negative number")
    if isinstance(exponent, Fraction) and abs(exponent) == Fraction(1, 2):
        return _sqrt(base if exponent > 0 else 1 / base)
    return Fraction(0) if base == 0 else _mpf(base) ** _mpf(exponent)


def arithmetic(left: Scalar, right: Scalar, operation: Callable[[Any, Any], Any]) -> Scalar:
    """Applies ``operation`` in rationals when both sides are exact, else in 50 digits."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return operation(left, right)
    return operation(_mpf(left), _mpf(right))


def elementwise(operation: Callable[..., Scalar], *operands: Value) -> Value:
    lengths = {len(operand) for operand in operands if isinstance(operand, tuple)}
    if not lengths:
        return bounded(operation(*operands))
    if len(lengths) > 1:
        raise FormulaError(f"vectors of different lengths ({', '.join(str(n) for n in sorted(lengths))})")
    columns = [operand if isinstance(operand, tuple) else (operand,) * next(iter(lengths)) for operand in operands]
    return tuple(bounded(operation(*row)) for row in zip(*columns, strict=True))


def vector(value: Value) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def _sum(value: Value) -> Scalar:
    total: Scalar = Fraction(0)
    for entry in vector(value):
        total = arithmetic(total, entry, lambda a, b: a + b)
    return bounded(total)


def _mean(value: Value) -> Scalar:
    entries = vector(value)
    if not entries:
        raise UndefinedValue("the mean of nothing")
    return arithmetic(_sum(value), Fraction(len(entries)), lambda a, b: a / b)


def _extreme(sign: int) -> Callable[..., Value]:
    """``min`` for a sign of -1, ``max`` for 1: over one vector, or elementwise over several arguments."""

    def pick(entries: tuple[Scalar, ...]) -> Scalar:
        if not entries:
            raise UndefinedValue("the smallest or largest of nothing")
        best = entries[0]
        for entry in entries[1:]:
            best = entry if compare(entry, best) == sign else best
        return best

    def apply(*arguments: Value) -> Value:
        if len(arguments) == 1:
            return pick(vector(arguments[0]))
        return elementwise(lambda *row: pick(row), *arguments)

    return apply


FUNCTIONS: Mapping[str, tuple[int, int, Callable[..., Value]]] = {
    "sum": (1, 1, _sum),
    "mean": (1, 1, _mean),
    "len": (1, 1, lambda value: Fraction(len(vector(value)))),
    "min": (1, 8, _extreme(-1)),
    "max": (1, 8, _extreme(1)),
    "abs": (1, 1, lambda value: elementwise(abs, value)),
    "floor": (1, 1, lambda value: elementwise(_floor, value)),
    "ceil": (1, 1, lambda value: elementwise(_ceil, value)),
    "sqrt": (1, 1, lambda value: elementwise(_sqrt, value)),
    "exp": (1, 1, lambda value: elementwise(_exp, value)),
    "log": (1, 1, lambda value: elementwise(_log, value)),
}
"""Name -> (fewest arguments, most arguments, implementation)."""

BINARY: Mapping[type[ast.operator], Callable[[Scalar, Scalar], Scalar]] = {
    ast.Add: lambda a, b: arithmetic(a, b, lambda x, y: x + y),
    ast.Sub: lambda a, b: arithmetic(a, b, lambda x, y: x - y),
    ast.Mult: lambda a, b: arithmetic(a, b, lambda x, y: x * y),
    ast.Div: lambda a, b: arithmetic(a, b, _divide),
    ast.Pow: _power,
    ast.Mod: lambda a, b: arithmetic(a, b, _modulo),
}
COMPARE: Mapping[type[ast.cmpop], Callable[[Scalar, Scalar], bool]] = {
    ast.Eq: lambda a, b: compare(a, b) == 0,
    ast.NotEq: lambda a, b: compare(a, b) != 0,
    ast.Lt: lambda a, b: compare(a, b) < 0,
    ast.LtE: lambda a, b: compare(a, b) <= 0,
    ast.Gt: lambda a, b: compare(a, b) > 0,
    ast.GtE: lambda a, b: compare(a, b) >= 0,
}


def truth(value: Value) -> bool:
    if isinstance(value, tuple):
        raise FormulaError("a vector where a condition is wanted")
    return bool(value != 0)
