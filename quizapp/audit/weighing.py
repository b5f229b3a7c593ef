"""What a weight formula gives every loss of a run: the objective's weights, and those that wrong ideas foretell.

Formulas are those of labs (``quizapp.model.lab.WEIGHT_NAMES``), with a few names more for rows: :data:`ROW_NAMES`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from quizapp.audit.observed import Observed, Place, Use
from quizapp.model.formula import Formula
from quizapp.model.lab import WEIGHT_NAMES, WeightRule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROW_NAMES: Mapping[str, str] = {
    "S": "rows of the token's window that have valid tokens, all ranks",
    "S_r": "the same of the token's rank",
    "S_rk": "the same of the token's microbatch on its rank",
    "n_s": "valid tokens of the token's row",
    "t_s": "positions of the token's row",
    "L": "labels of the token's window that aren't -100, all ranks; more than N where labels are shifted",
    "l_r": "the same of the token's rank",
    "l_rk": "the same of the token's microbatch on its rank",
    "N_0": "valid tokens of the first window, all ranks",
}
NAMES: Mapping[str, str] = {**WEIGHT_NAMES, **ROW_NAMES}
"""Variable of an audit's weight formulas -> what it stands for."""


@dataclass(frozen=True)
class Weighing:
    """The variables of every row in every microbatch that reached a step."""

    observed: Observed

    @cached_property
    def entries(self) -> tuple[tuple[Use, int], ...]:
        """A use and one of its rows, for those that all ranks stepped with."""
        steps = self.observed.steps
        return tuple((use, row) for use in self.observed.uses if use.step is not None and use.step < steps for row in use.rows)

    @cached_property
    def values(self) -> "dict[str, Floats]":
        """Variable -> [entries], vectors [ranks, entries]."""
        import numpy as np

        sizes = {use: self._sizes(use) for use in self.observed.uses}
        rows = [self._entry(use, row, sizes) for use, row in self.entries]
        if not rows:
            return {name: np.zeros(0) for name in NAMES}
        return {name: np.array([row[name] for row in rows], dtype=np.float64).T for name in rows[0]}

    def _sizes(self, use: Use) -> dict[str, int]:
        """Of one use: valid tokens, positions, rows with tokens, labels."""
        seen = self.observed
        with_tokens = {row for row, t in use.places if seen.counts((row, t))}
        return {
            "n": sum(map(seen.counts, use.places)),
            "t": len(use.places),
            "s": len(with_tokens),
            "l": sum(seen.mask[row][t] for row, t in use.places),
        }

    def _entry(self, use: Use, row: int, sizes: Mapping[Use, Mapping[str, int]]) -> dict[str, Any]:
        seen, plan = self.observed, self.observed.plan
        window = [other for other in seen.uses if other.step == use.step]
        mine = [other for other in window if other.rank == use.rank]
        own = [place for place in use.places if place[0] == row]

        def total(what: str, uses: list[Use]) -> int:
            return sum(sizes[other][what] for other in uses)

        by_rank = [[other for other in window if other.rank == rank] for rank in range(plan.ranks)]
        return {
            "R": plan.ranks, "K": plan.accumulate, "K_w": max(map(len, by_rank)), "W": seen.steps,
            "N": total("n", window), "T": total("t", window), "S": total("s", window), "L": total("l", window),
            "r": use.rank, "k": use.microbatch, "w": use.step,
            "n_r": total("n", mine), "t_r": total("t", mine), "S_r": total("s", mine), "l_r": total("l", mine),
            "n_k": total("n", [other for other in window if other.microbatch == use.microbatch]),
            "n_rk": sizes[use]["n"], "t_rk": sizes[use]["t"], "S_rk": sizes[use]["s"], "l_rk": sizes[use]["l"],
            "n_s": sum(map(seen.counts, own)), "t_s": len(own),
            "n": [total("n", uses) for uses in by_rank], "t": [total("t", uses) for uses in by_rank],
            "N_0": total("n", [other for other in seen.uses if other.step == 0]),
        }  # fmt: skip

    @cached_property
    def shares(self) -> "dict[str, Floats]":
        """How often an entry's use holds a column's position, [entries, columns].

        For ``valid`` positions, for ``padding`` with the target behind it, and for padding as class 0 (``zero``).
        """
        import numpy as np

        seen = self.observed
        found = {name: np.zeros((len(self.entries), len(seen.columns))) for name in ("valid", "padding", "zero")}
        zeros = {(c.row, c.position): index for index, c in enumerate(seen.columns) if c.whose == "zero"}
        for at, (use, row) in enumerate(self.entries):
            for place in self._places(use, row):
                valid = seen.counts(place)
                own = "valid" if valid else "padding"
                for name, columns in ((own, seen.declared), ("zero", {} if valid else zeros)):
                    if place in columns:
                        found[name][at, columns[place]] += 1
        return found

    def _places(self, use: Use, row: int) -> list[Place]:
        return [place for place in use.places if place[0] == row]

    def weights(self, rule: WeightRule, zero: bool = False) -> "Floats":
        """The weights [steps, ranks, columns] that a rule foretells, as each rank ends with them. No value means NaN.

        ``zero``: the rule's padding is held against class 0.

        Raises:
            FormulaError: the rule uses a name that is no variable.
        """
        import numpy as np

        from quizapp.judge.columns import evaluate

        seen = self.observed
        steps, ranks, count = seen.steps, seen.plan.ranks, len(self.entries)
        found = np.zeros((steps, ranks, len(seen.columns)))
        if not count:
            return found
        for source, name in ((rule.valid, "valid"), (rule.padding, "zero" if zero else "padding")):
            share = self.shares[name]
            if source == "0":
                continue
            formula = Formula.parse(source)
            for step in range(steps):
                here = np.ones(count, dtype=bool) if "s" in formula.names else self.values["w"] == step
                for rank in range(ranks if "q" in formula.names else 1):
                    values = {**self.values, "s": np.full(count, float(step)), "q": np.full(count, float(rank))}
                    given = np.where(here, np.broadcast_to(evaluate(formula, values, count), (count,)), 0.0)
                    touched = share.astype(bool)
                    row = np.where(touched, given[:, None] * share, 0.0).sum(axis=0)
                    found[step, rank if "q" in formula.names else slice(None)] += row
        return found
