"""Weight formulas over many tokens at once, in float64: the same language as ``quizapp.model.formula``, without a value means NaN.

A scalar variable is a column [C]; a vector variable is [V, C], its entries along the first axis. Exactness isn't needed here:
weights are compared within tolerances, and thousands of them are looked at for each verdict.
"""

import ast
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from quizapp.model.formula import Formula, FormulaError

Columns = NDArray[np.float64]


def _divide(a: Columns, b: Columns) -> Columns:
    return np.where(b == 0, np.nan, a / np.where(b == 0, 1.0, b))


def _power(a: Columns, b: Columns) -> Columns:
    undefined = ((a == 0) & (b < 0)) | ((a < 0) & (b != np.floor(b)))
    return np.where(undefined, np.nan, np.power(np.where(undefined, 1.0, a), b))


_BINARY: Mapping[type[ast.operator], Callable[[Columns, Columns], Columns]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: _divide,
    ast.Pow: _power,
    ast.Mod: lambda a, b: a - b * np.floor(_divide(a, b)),
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Columns, Columns], NDArray[np.bool_]]] = {
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}


def _extreme(pick: Callable[[Columns, Columns], Columns], over: Callable[[Columns], Columns]) -> Callable[..., Columns]:
    def apply(*arguments: Columns) -> Columns:
        if len(arguments) == 1:
            return over(arguments[0]) if arguments[0].ndim > 1 else arguments[0]
        result = arguments[0]
        for argument in arguments[1:]:
            result = pick(result, argument)
        return result

    return apply


def _where(known: NDArray[np.bool_], function: Callable[[Columns], Columns], values: Columns) -> Columns:
    return np.where(known, function(np.where(known, values, 1.0)), np.nan)


_FUNCTIONS: Mapping[str, Callable[..., Columns]] = {
    "sum": lambda v: v.sum(axis=0) if v.ndim > 1 else v,
    "mean": lambda v: v.mean(axis=0) if v.ndim > 1 else v,
    "len": lambda v: np.full(v.shape[-1], float(v.shape[0] if v.ndim > 1 else 1)),
    "min": _extreme(np.minimum, lambda v: v.min(axis=0)),
    "max": _extreme(np.maximum, lambda v: v.max(axis=0)),
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "sqrt": lambda v: _where(v >= 0, np.sqrt, v),
    "exp": np.exp,
    "log": lambda v: _where(v > 0, np.log, v),
}


def _truth(conditions: list[Columns], combine: Callable[..., NDArray[np.bool_]]) -> Columns:
    undefined = np.any([np.isnan(condition) for condition in conditions], axis=0)
    return np.where(undefined, np.nan, combine([condition != 0 for condition in conditions], axis=0))


def _evaluate(node: ast.expr, values: Mapping[str, Columns]) -> Columns:
    match node:
        case ast.Constant(value=number):
            return np.full(1, float(number))  # type: ignore[arg-type]
        case ast.Name(id=name):
            return values[name]
        case ast.List(elts=elements) | ast.Tuple(elts=elements) if elements:
            rows = np.broadcast_arrays(*(_evaluate(element, values) for element in elements))
            if rows[0].ndim > 1:
                raise FormulaError("a vector inside a vector")
            return np.stack(rows)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _evaluate(operand, values)
            return np.where(np.isnan(inner), np.nan, inner == 0)
        case ast.UnaryOp(op=op, operand=operand):
            inner = _evaluate(operand, values)
            return -inner if isinstance(op, ast.USub) else inner
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_evaluate(left, values), _evaluate(right, values))
        case ast.BoolOp(op=op, values=operands):
            combine = np.all if isinstance(op, ast.And) else np.any
            return _truth([*np.broadcast_arrays(*(_evaluate(operand, values) for operand in operands))], combine)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            chain = np.broadcast_arrays(*(_evaluate(operand, values) for operand in (left, *comparators)))
            results = [_COMPARE[type(op)](a, b) for op, a, b in zip(ops, chain, chain[1:], strict=False)]
            undefined = np.any([np.isnan(entry) for entry in chain], axis=0)
            return np.where(undefined, np.nan, np.all(results, axis=0))
        case ast.Subscript(value=vector, slice=index):
            entries, position = _evaluate(vector, values), _evaluate(index, values).astype(np.int64)
            columns = np.broadcast_to(position, entries.shape[-1:])
            inside = (columns >= 0) & (columns < len(entries))
            chosen = np.take_along_axis(entries, np.where(inside, columns, 0)[None, :], axis=0)[0]
            return np.where(inside, chosen, np.nan)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](*(_evaluate(argument, values) for argument in arguments))
    raise FormulaError(f"{type(node).__name__} can't stand in a weight formula")


def evaluate(formula: Formula, values: Mapping[str, Columns], columns: int) -> Columns:
    """The formula's value for each column, [columns].

    Raises:
        FormulaError: a name without a value, or a vector where one number is wanted.
    """
    unknown = sorted(formula.names - values.keys())
    if unknown:
        raise FormulaError(f"{unknown[0]} has no value")
    with np.errstate(all="ignore"):
        result = _evaluate(formula.tree, values)
    if result.ndim > 1:
        raise FormulaError("a vector where one number is wanted")
    return np.broadcast_to(result, (columns,)).astype(np.float64)
