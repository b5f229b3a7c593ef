"""The formula language of banks: what a key, a distractor, a weight or a learner's derivation says.

Here: the syntax tree and its checks. Not here: its evaluation (``quizapp.model.evaluation``), learners' lenient notation
(``quizapp.scoring.symbolic``) and anything that reads files.

The language is an allow-list over Python's expression syntax, walked and never executed: ``+ - * / **``,
comparisons and ``and/or/not`` (1 or 0), names, numbers, vectors ``[a, b]`` with elementwise arithmetic, ``v[0]``, and the
functions of :data:`FUNCTIONS`. Rational arithmetic stays exact; ``sqrt``, ``exp`` and ``log`` give 50-digit ``mpmath`` numbers
where the result is irrational.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from quizapp.model.arithmetic import BINARY, COMPARE, FUNCTIONS, MAX_BITS, FormulaError, Scalar, UndefinedValue, Value, truth
from quizapp.model.evaluation import Step, compiled, outer

__all__ = ["FUNCTIONS", "Formula", "FormulaError", "Scalar", "UndefinedValue", "Value"]

MAX_CHARACTERS = 2_000
MAX_NODES = 400
_FOREIGN = "'\"\\`#;@$"
"""Signs of Python that are never part of a formula; refused before Python's parser sees them."""


_RUN_IN = re.compile(r"(?<![\w.])\.?\d[\w.]*(?:and|or|if|else|in|is|not|for)\b")
_WHITE = dict.fromkeys(map(ord, "\t\n\r\f\v"), " ")


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
    elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        _check(node.left, names)
        _check(node.right, names)
    elif isinstance(node, ast.BoolOp):
        for operand in node.values:
            _check(operand, names)
    elif isinstance(node, ast.Compare) and all(type(op) in COMPARE for op in node.ops):
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


@dataclass(frozen=True, slots=True)
class Formula:
    """A checked formula. Make one with :meth:`parse`."""

    source: str
    names: frozenset[str]
    tree: ast.expr
    """Checked against the allow-list, for rooms that evaluate formulas in their own way."""
    step: Step = field(repr=False, compare=False)
    """The tree as a function of the values."""

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
        return outer(self.step(values))

    def scalar(self, values: Mapping[str, Value]) -> Scalar:
        """The value of a formula that must give one number. Raises as :meth:`value` does."""
        value = self.value(values)
        if isinstance(value, tuple):
            raise FormulaError("a vector where one number is wanted")
        return value

    def holds(self, values: Mapping[str, Value]) -> bool:
        """The truth of a constraint. Raises as :meth:`value` does."""
        return truth(self.step(values))

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
    return Formula(text, frozenset(names), tree, compiled(tree))
