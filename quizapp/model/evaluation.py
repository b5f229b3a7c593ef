"""From a checked syntax tree to a function of the values.

Whole numbers stay plain integers for as long as they can, which is many times faster than ``Fraction`` and gives the same; all else
is ``quizapp.model.arithmetic``. Not here: what may stand in a tree (``quizapp.model.formula``).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from quizapp.model.arithmetic import BINARY, COMPARE, FUNCTIONS, MAX_BITS, FormulaError, Value, elementwise, truth

Inner: TypeAlias = Any
"""An ``int``, a ``Fraction`` that is no whole number, an ``mpf``, or a tuple of these."""
Step = Callable[[Mapping[str, Value]], Inner]

_WHOLE: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_ORDER: Mapping[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _inner(value: Value) -> Inner:
    # Fraction's metaclass makes isinstance slow for everything that is none.
    if type(value) is Fraction:
        return value.numerator if value.denominator == 1 else value
    return tuple(map(_inner, value)) if type(value) is tuple else value


def outer(value: Inner) -> Value:
    """The value as the rest of the house knows it: whole numbers are fractions too."""
    if type(value) is int:
        return Fraction(value)
    return tuple(map(outer, value)) if type(value) is tuple else value


def _scalars(kind: type[ast.operator]) -> Callable[[Inner, Inner], Inner]:
    """The operation on two numbers."""
    general, whole = BINARY[kind], _WHOLE.get(kind)

    def both(a: Inner, b: Inner) -> Inner:
        return _inner(elementwise(general, outer(a), outer(b)))

    if whole is not None:

        def one(a: Inner, b: Inner) -> Inner:
            if type(a) is int and type(b) is int:
                result = whole(a, b)
                if result.bit_length() > MAX_BITS:
                    raise FormulaError("the numbers grow too large")
                return result
            return both(a, b)

        return one
    if kind in (ast.Div, ast.Mod):
        divides = kind is ast.Div

        def one(a: Inner, b: Inner) -> Inner:
            if type(a) is int and type(b) is int and b:
                quotient, rest = divmod(a, b)
                if not divides:
                    return rest
                return Fraction(a, b) if rest else quotient
            return both(a, b)

        return one
    return both


def _binary(kind: type[ast.operator], left: Step, right: Step) -> Step:
    one, general = _scalars(kind), BINARY[kind]

    def step(values: Mapping[str, Value]) -> Inner:
        a, b = left(values), right(values)
        if type(a) is not tuple:
            return one(a, b) if type(b) is not tuple else tuple([one(a, entry) for entry in b])
        if type(b) is not tuple:
            return tuple([one(entry, b) for entry in a])
        if len(a) == len(b):
            return tuple(map(one, a, b))
        return elementwise(general, outer(a), outer(b))

    return step


def _compare(operators: Sequence[ast.cmpop], operands: Sequence[Step], column: int) -> Step:
    whole = [_ORDER[type(op)] for op in operators]
    general = [COMPARE[type(op)] for op in operators]

    def step(values: Mapping[str, Value]) -> Inner:
        chain = [operand(values) for operand in operands]
        if any(isinstance(entry, tuple) for entry in chain):
            raise FormulaError("comparisons take numbers, not vectors", column)
        if all(type(entry) is int for entry in chain):
            return int(all(op(a, b) for op, a, b in zip(whole, chain, chain[1:], strict=False)))
        exact = [outer(entry) for entry in chain]
        return int(all(op(a, b) for op, a, b in zip(general, exact, exact[1:], strict=False)))

    return step


def _call(name: str, arguments: Sequence[Step]) -> Step:
    function = FUNCTIONS[name][2]

    def general(given: Sequence[Inner]) -> Inner:
        return _inner(function(*map(outer, given)))

    def step(values: Mapping[str, Value]) -> Inner:
        given = [argument(values) for argument in arguments]
        if len(given) == 1 and (fast := _fast(name, given[0])) is not None:
            return fast
        return general(given)

    return step


def _fast(name: str, given: Inner) -> Inner:
    """A function of one exact argument, where it is quickly told; else ``None``."""
    if name in ("sum", "mean") and type(given) is tuple and given and all(type(entry) in _EXACT for entry in given):
        total = sum(given)
        if total.numerator.bit_length() <= MAX_BITS and total.denominator.bit_length() <= MAX_BITS:
            return _inner(Fraction(total, len(given))) if name == "mean" else _inner(total)
    elif name == "abs" and type(given) in _EXACT:
        return abs(given)
    elif name == "len":
        return len(given) if type(given) is tuple else 1
    return None


_EXACT = (int, Fraction)


def _index(vector: Step, index: Step, column: int) -> Step:
    def step(values: Mapping[str, Value]) -> Inner:
        row, position = vector(values), index(values)
        entries = row if isinstance(row, tuple) else (row,)
        if type(position) is not int or not 0 <= position < len(entries):
            raise FormulaError(f"an index outside 0..{len(entries) - 1}", column)
        return entries[position]

    return step


def _name(name: str, column: int) -> Step:
    def step(values: Mapping[str, Value]) -> Inner:
        try:
            return _inner(values[name])
        except KeyError:
            raise FormulaError(f"{name} has no value", column) from None

    return step


def _row(elements: Sequence[Step], column: int) -> Step:
    def step(values: Mapping[str, Value]) -> Inner:
        entries = tuple(element(values) for element in elements)
        if any(isinstance(entry, tuple) for entry in entries):
            raise FormulaError("a vector inside a vector", column)
        return entries

    return step


def _logic(conjunction: bool, operands: Sequence[Step]) -> Step:
    def step(values: Mapping[str, Value]) -> Inner:
        results = (truth(operand(values)) for operand in operands)
        return int(all(results) if conjunction else any(results))

    return step


def _sign(inner: Step, negative: bool) -> Step:
    def step(values: Mapping[str, Value]) -> Inner:
        result = inner(values)
        if not negative:
            return result
        return -result if type(result) is int else _inner(elementwise(lambda v: -v, outer(result)))

    return step


def compiled(node: ast.expr) -> Step:
    """The function that a checked tree stands for; :func:`outer` makes its result a value. Raises as ``Formula.value`` does."""
    match node:
        case ast.Constant(value=value):
            constant = _inner(value)
            return lambda values: constant
        case ast.Name(id=name):
            return _name(name, node.col_offset)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return _row([compiled(element) for element in elements], node.col_offset)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = compiled(operand)
            return lambda values: int(not truth(inner(values)))
        case ast.UnaryOp(op=op, operand=operand):
            return _sign(compiled(operand), isinstance(op, ast.USub))
        case ast.BinOp(left=left, op=binary, right=right):
            return _binary(type(binary), compiled(left), compiled(right))
        case ast.BoolOp(op=logic, values=operands):
            return _logic(isinstance(logic, ast.And), [compiled(operand) for operand in operands])
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compare(ops, [compiled(operand) for operand in (left, *comparators)], node.col_offset)
        case ast.Subscript(value=vector, slice=index):
            return _index(compiled(vector), compiled(index), node.col_offset)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, [compiled(argument) for argument in arguments])
    raise FormulaError(f"{type(node).__name__} is not part of the formula language")
