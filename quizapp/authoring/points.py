"""Where to look at an item's variants: all of them where they are few, else many drawn at random and along each axis.

Values are float64 columns, so that thousands of variants cost little; whoever finds something there works it out exactly
(:meth:`Points.exact`) before saying so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from quizapp.judge.columns import evaluate
from quizapp.model.formula import Formula, FormulaError, Value
from quizapp.model.question import Variable

ALL = 2_048
"""Variants up to which every one is looked at."""
RANDOM = 768
BASES, ALONG = 4, 20
"""Points from which each entry of each variable goes through its whole range, and values looked at on the way."""

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Points:
    """Variants that keep the constraints. The first is the bank's own."""

    variables: Mapping[str, Variable]
    columns: Mapping[str, Floats]
    """Name -> [points], or [entries, points] for a vector."""
    count: int
    share: float
    """Of all draws, those that keep the constraints (estimated where not all were looked at)."""
    undecided: Mapping[str, Value] | None
    """A draw at which a constraint seems to have no value."""

    def values(self, formula: Formula) -> Floats | None:
        """The formula at each point, [points], NaN where it has no value; ``None`` where it doesn't give one number."""
        try:
            return evaluate(formula, self.columns, self.count)
        except (FormulaError, ValueError, IndexError):
            return None

    def exact(self, index: int) -> dict[str, Value]:
        """The values of one point."""
        return _exact(self.variables, self.columns, index)


def _exact(variables: Mapping[str, Variable], columns: Mapping[str, Floats], index: int) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, variable in variables.items():
        column = columns[name]
        vector = isinstance(variable.value, tuple)
        found[name] = tuple(Fraction(int(row[index])) for row in column) if vector else Fraction(int(column[index]))
    return found


def points(variables: Mapping[str, Variable], constraints: Sequence[Formula]) -> Points:
    """The points for an item; the same for the same item."""
    grid = _Grid(variables)
    few = grid.combinations <= ALL
    drawn = grid.all() if few else grid.random(RANDOM)
    keeps, unknown = grid.keeps(drawn, constraints)
    rows = [grid.own(), drawn[:, keeps]]
    if not few:
        scanned = grid.scans(rows[1])
        rows.append(scanned[:, grid.keeps(scanned, constraints)[0]])
    possible = grid.distinct(drawn)
    unknown &= possible
    undecided = _exact(variables, grid.columns(drawn), int(np.argmax(unknown))) if unknown.any() else None
    together = np.concatenate(rows, axis=1)
    share = float(keeps.sum()) / max(int(possible.sum()), 1)
    return Points(variables, grid.columns(together), together.shape[1], share, undecided)


class _Grid:
    """The entries of all variables that are drawn, one row each; rows of the rest are constant."""

    def __init__(self, variables: Mapping[str, Variable]) -> None:
        self.variables = variables
        self.bounds: list[tuple[int, int]] = []
        self.rows: dict[str, tuple[int, int]] = {}
        own: list[int] = []
        for name, variable in variables.items():
            entries = variable.value if isinstance(variable.value, tuple) else (variable.value,)
            self.rows[name] = (len(own), len(own) + len(entries))
            own += entries
            self.bounds += [(low, high) for low, high in (variable.range or (entry, entry) for entry in entries)]
        self._own = np.array(own, dtype=np.int64)[:, None]
        self.combinations = prod(high - low + 1 for low, high in self.bounds)

    def own(self) -> Whole:
        return self._own

    def all(self) -> Whole:
        axes = [np.arange(low, high + 1) for low, high in self.bounds]
        return np.stack([axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij")]) if axes else self._own[:, :0]

    def random(self, count: int) -> Whole:
        draw = np.random.default_rng(0)
        return np.stack([draw.integers(low, high + 1, size=count) for low, high in self.bounds])

    def scans(self, kept: Whole) -> Whole:
        """From some points along each axis, and all entries of each vector equal."""
        bases = np.concatenate([self._own, kept[:, : BASES - 1]], axis=1)
        found = [bases[:, :0]]
        for row, (low, high) in enumerate(self.bounds):
            if low < high:
                steps = np.unique(np.linspace(low, high, min(ALONG, high - low + 1)).round().astype(np.int64))
                along = np.repeat(bases, len(steps), axis=1)
                along[row] = np.tile(steps, bases.shape[1])
                found.append(along)
        for start, stop in self.rows.values():
            low, high = self.bounds[start]
            if stop - start > 1 and low < high:
                alike = bases.copy()
                alike[start:stop] = alike[start]
                found.append(alike)
        return np.concatenate(found, axis=1)

    def columns(self, rows: Whole) -> dict[str, Floats]:
        floats = rows.astype(np.float64)
        vector = {name: isinstance(variable.value, tuple) for name, variable in self.variables.items()}
        return {name: floats[start:stop] if vector[name] else floats[start] for name, (start, stop) in self.rows.items()}

    def distinct(self, rows: Whole) -> NDArray[np.bool_]:
        found = np.ones(rows.shape[1], dtype=np.bool_)
        for name, variable in self.variables.items():
            start, stop = self.rows[name]
            if variable.distinct and variable.range is not None and stop - start > 1:
                found &= np.all(np.diff(np.sort(rows[start:stop], axis=0), axis=0) != 0, axis=0)
        return found

    def keeps(self, rows: Whole, constraints: Sequence[Formula]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each point whether it is a variant, and whether a constraint has no value there."""
        found, undecided = self.distinct(rows), np.zeros(rows.shape[1], dtype=np.bool_)
        columns = self.columns(rows)
        for constraint in constraints:
            try:
                truth = evaluate(constraint, columns, rows.shape[1])
            except (FormulaError, ValueError, IndexError):
                continue
            undecided |= np.isnan(truth)
            found &= ~np.isnan(truth) & (truth != 0)
        return found, undecided
