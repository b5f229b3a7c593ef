"""The formula language of banks: what a key, a distractor, a weight or a learner's derivation says.

Here: the syntax tree, its checks and its evaluation in exact rationals. Not here: learners' lenient notation
(``quizapp.scoring.symbolic``) and anything that reads files.

The language is an allow-list over Python's expression syntax, walked by this module and never executed: ``+ - * / **``,
comparisons and ``and/or/not`` (1 or 0), names, numbers, vectors ``[a, b]`` with elementwise arithmetic, ``v[0]``, and the
functions of :data:`FUNCTIONS`. Rational arithmetic stays exact; ``sqrt``, ``exp`` and ``log`` give 50-digit ``mpmath`` numbers
where the result is irrational.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

Scalar: TypeAlias = Fraction | Any
"""An exact ``Fraction``, or an ``mpmath.mpf`` where the value is irrational."""
Value: TypeAlias = Scalar | tuple[Scalar, ...]
"""A scalar, or a vector of scalars."""

MAX_CHARACTERS = 2_000
MAX_NODES = 400
MAX_EXPONENT = 64
MAX_BITS = 8_192
DIGITS = 50
_FOREIGN = "'\"\\`#;@$"
"""Signs of Python that are never part of a formula; refused before Python's parser sees them."""


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


def _bounded(value: Scalar) -> Scalar:
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


def _compare(left: Scalar, right: Scalar) -> int:
    """-1, 0 or 1. A ``Fraction`` and an ``mpf`` have no order of their own."""
    if not (isinstance(left, Fraction) and isinstance(right, Fraction)):
        left, right = _mpf(left), _mpf(right)
    return (left > right) - (left < right)


def _floor(value: Scalar) -> Scalar:
    return Fraction(value.__floor__() if isinstance(value, Fraction) else int(_mp().floor(value)))


def _ceil(value: Scalar) -> Scalar:
    return -_floor(-value)


def _modulo(left: Scalar, right: Scalar) -> Scalar:
    return left - right * _floor(_bounded(_divide(left, right)))


def _sqrt(value: Scalar) -> Scalar:
    if value < 0:
        raise UndefinedValue("the square root of a negative number")
    root = _exact_root(value) if isinstance(value, Fraction) else None
    return _mp().sqrt(_mpf(value)) if root is None else root


def _exp(value: Scalar) -> Scalar:
    if value == 0:
        return Fraction(1)
    if _compare(abs(value), Fraction(MAX_BITS // 2)) > 0:
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
    if _compare(abs(exponent), Fraction(MAX_EXPONENT)) > 0:
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


def _arithmetic(left: Scalar, right: Scalar, operation: Callable[[Any, Any], Any]) -> Scalar:
    """Applies ``operation`` in rationals when both sides are exact, else in 50 digits."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return operation(left, right)
    return operation(_mpf(left), _mpf(right))


def _elementwise(operation: Callable[..., Scalar], *operands: Value) -> Value:
    lengths = {len(operand) for operand in operands if isinstance(operand, tuple)}
    if not lengths:
        return _bounded(operation(*operands))
    if len(lengths) > 1:
        raise FormulaError(f"vectors of different lengths ({', '.join(str(n) for n in sorted(lengths))})")
    columns = [operand if isinstance(operand, tuple) else (operand,) * next(iter(lengths)) for operand in operands]
    return tuple(_bounded(operation(*row)) for row in zip(*columns, strict=True))


def _vector(value: Value) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def _sum(value: Value) -> Scalar:
    total: Scalar = Fraction(0)
    for entry in _vector(value):
        total = _arithmetic(total, entry, lambda a, b: a + b)
    return _bounded(total)


def _mean(value: Value) -> Scalar:
    entries = _vector(value)
    if not entries:
        raise UndefinedValue("the mean of nothing")
    return _arithmetic(_sum(value), Fraction(len(entries)), lambda a, b: a / b)


def _extreme(sign: int) -> Callable[..., Value]:
    """``min`` for a sign of -1, ``max`` for 1: over one vector, or elementwise over several arguments."""

    def pick(entries: tuple[Scalar, ...]) -> Scalar:
        if not entries:
            raise UndefinedValue("the smallest or largest of nothing")
        best = entries[0]
        for entry in entries[1:]:
            best = entry if _compare(entry, best) == sign else best
        return best

    def apply(*arguments: Value) -> Value:
        if len(arguments) == 1:
            return pick(_vector(arguments[0]))
        return _elementwise(lambda *row: pick(row), *arguments)

    return apply


FUNCTIONS: Mapping[str, tuple[int, int, Callable[..., Value]]] = {
    "sum": (1, 1, _sum),
    "mean": (1, 1, _mean),
    "len": (1, 1, lambda value: Fraction(len(_vector(value)))),
    "min": (1, 8, _extreme(-1)),
    "max": (1, 8, _extreme(1)),
    "abs": (1, 1, lambda value: _elementwise(abs, value)),
    "floor": (1, 1, lambda value: _elementwise(_floor, value)),
    "ceil": (1, 1, lambda value: _elementwise(_ceil, value)),
    "sqrt": (1, 1, lambda value: _elementwise(_sqrt, value)),
    "exp": (1, 1, lambda value: _elementwise(_exp, value)),
    "log": (1, 1, lambda value: _elementwise(_log, value)),
}
"""Name -> (fewest arguments, most arguments, implementation)."""

_RUN_IN = re.compile(r"(?<![\w.])\.?\d[\w.]*(?:and|or|if|else|in|is|not|for)\b")
_WHITE = dict.fromkeys(map(ord, "\t\n\r\f\v"), " ")

_BINARY: Mapping[type[ast.operator], Callable[[Scalar, Scalar], Scalar]] = {
    ast.Add: lambda a, b: _arithmetic(a, b, lambda x, y: x + y),
    ast.Sub: lambda a, b: _arithmetic(a, b, lambda x, y: x - y),
    ast.Mult: lambda a, b: _arithmetic(a, b, lambda x, y: x * y),
    ast.Div: lambda a, b: _arithmetic(a, b, _divide),
    ast.Pow: _power,
    ast.Mod: lambda a, b: _arithmetic(a, b, _modulo),
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Scalar, Scalar], bool]] = {
    ast.Eq: lambda a, b: _compare(a, b) == 0,
    ast.NotEq: lambda a, b: _compare(a, b) != 0,
    ast.Lt: lambda a, b: _compare(a, b) < 0,
    ast.LtE: lambda a, b: _compare(a, b) <= 0,
    ast.Gt: lambda a, b: _compare(a, b) > 0,
    ast.GtE: lambda a, b: _compare(a, b) >= 0,
}


def _check(node: ast.expr, names: set[str]) -> None:
    """Refuses what isn't in the language; collects the names that need a value."""
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, Fraction):
            raise FormulaError(f"{node.value!r} is not a number", node.col_offset)
    elif isinstance(node, ast.Name):
        names.add(node.id)
    elif isinstance(node, ast.List | ast.Tuple):
        for element in node.elts:
            _check(element, names)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Not):
        _check(node.operand, names)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        _check(node.left, names)
        _check(node.right, names)
    elif isinstance(node, ast.BoolOp):
        for operand in node.values:
            _check(operand, names)
    elif isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops):
        for operand in (node.left, *node.comparators):
            _check(operand, names)
    elif isinstance(node, ast.Subscript):
        _check(node.value, names)
        _check(node.slice, names)
    elif isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            raise FormulaError(f"unknown function; known are {', '.join(sorted(FUNCTIONS))}", node.col_offset)
        fewest, most, _ = FUNCTIONS[node.func.id]
        if node.keywords or not fewest <= len(node.args) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise FormulaError(f"{node.func.id} takes {wanted} argument(s)", node.col_offset)
        for argument in node.args:
            _check(argument, names)
    else:
        raise FormulaError(f"{type(node).__name__} is not part of the formula language", getattr(node, "col_offset", None))


def _truth(value: Value) -> bool:
    if isinstance(value, tuple):
        raise FormulaError("a vector where a condition is wanted")
    return bool(value != 0)


def _literal(text: str, offset: int) -> Fraction:
    """A decimal literal, exactly. ``Fraction`` itself would spend for ever on ``1e999999999``."""
    digits, _, exponent = text.replace("_", "").lower().partition("e")
    if exponent and (len(exponent) > 5 or abs(int(exponent)) > MAX_BITS // 4):
        raise FormulaError("the numbers grow too large", offset)
    return Fraction(digits) * Fraction(10) ** int(exponent or 0)


def _settle(tree: ast.expr, source: str, indent: int) -> None:
    """Makes literals exact, and columns count characters of what was written (Python counts bytes)."""
    encoded = source.encode()
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr):
            continue
        start, end = len(encoded[: node.col_offset].decode()), len(encoded[: node.end_col_offset].decode())
        node.col_offset = indent + start
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            value = Fraction(node.value) if isinstance(node.value, int) else _literal(source[start:end], node.col_offset)
            node.value = value  # type: ignore[assignment]  # the tree is ours alone and never compiled


def _evaluate(node: ast.expr, values: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if name not in values:
                raise FormulaError(f"{name} has no value", node.col_offset)
            return values[name]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            entries = [_evaluate(element, values) for element in elements]
            if any(isinstance(entry, tuple) for entry in entries):
                raise FormulaError("a vector inside a vector", node.col_offset)
            return tuple(entries)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Fraction(not _truth(_evaluate(operand, values)))
        case ast.UnaryOp(op=op, operand=operand):
            result = _evaluate(operand, values)
            return _elementwise(lambda v: -v, result) if isinstance(op, ast.USub) else result
        case ast.BinOp(left=left, op=op, right=right):
            return _elementwise(_BINARY[type(op)], _evaluate(left, values), _evaluate(right, values))
        case ast.BoolOp(op=op, values=operands):
            results = (_truth(_evaluate(operand, values)) for operand in operands)
            return Fraction(all(results) if isinstance(op, ast.And) else any(results))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            chain = [_evaluate(operand, values) for operand in (left, *comparators)]
            if any(isinstance(entry, tuple) for entry in chain):
                raise FormulaError("comparisons take numbers, not vectors", node.col_offset)
            return Fraction(all(_COMPARE[type(op)](a, b) for op, a, b in zip(ops, chain, chain[1:], strict=False)))
        case ast.Subscript(value=vector, slice=index):
            row, position = _vector(_evaluate(vector, values)), _evaluate(index, values)
            if not isinstance(position, Fraction) or position.denominator != 1 or not 0 <= position < len(row):
                raise FormulaError(f"an index outside 0..{len(row) - 1}", node.col_offset)
            return row[int(position)]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name][2](*(_evaluate(argument, values) for argument in arguments))
    raise FormulaError(f"{type(node).__name__} is not part of the formula language")


@dataclass(frozen=True, slots=True)
class Formula:
    """A checked formula. Make one with :meth:`parse`."""

    source: str
    names: frozenset[str]
    tree: ast.expr
    """Checked against the allow-list, for rooms that evaluate formulas in their own way."""

    @staticmethod
    def parse(source: str) -> Formula:
        """Reads a formula.

        Raises:
            FormulaError: with the offset of the first fault.
        """
        return _parse(source)

    def value(self, values: Mapping[str, Value]) -> Value:
        """The formula's value; exact where the operations are rational.

        Raises:
            UndefinedValue: no value at this point (a division by zero).
            FormulaError: a name without a value, vectors of different lengths, numbers out of bounds.
        """
        return _evaluate(self.tree, values)

    def scalar(self, values: Mapping[str, Value]) -> Scalar:
        """The value of a formula that must give one number. Raises as :meth:`value` does."""
        value = self.value(values)
        if isinstance(value, tuple):
            raise FormulaError("a vector where one number is wanted")
        return value

    def holds(self, values: Mapping[str, Value]) -> bool:
        """The truth of a constraint. Raises as :meth:`value` does."""
        return _truth(self.value(values))

    def __str__(self) -> str:
        return self.source


@lru_cache(maxsize=4096)
def _parse(source: str) -> Formula:
    if len(source) > MAX_CHARACTERS:
        raise FormulaError(f"a formula longer than {MAX_CHARACTERS} characters")
    text = source.translate(_WHITE).strip()
    indent = len(source) - len(source.lstrip())
    if not text:
        raise FormulaError("an empty formula", 0)
    for position, sign in enumerate(text):
        if sign in _FOREIGN or not sign.isprintable():
            raise FormulaError(f"not a formula: {sign!r} has no place here", indent + position)
    run_in = _RUN_IN.search(text)
    if run_in:  # Python's parser would warn on standard error, and go on
        raise FormulaError(f"not a formula: {run_in.group()!r} runs a number into a word", indent + run_in.start())
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"not a formula: {error.msg}", indent + min(max((error.offset or 1) - 1, 0), len(text))) from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError("not a formula") from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise FormulaError("a formula with too many parts")
    names: set[str] = set()
    _settle(tree, text, indent)
    _check(tree, names)
    return Formula(text, frozenset(names), tree)
