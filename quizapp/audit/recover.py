"""From gradients to weights: solves ``sum over losses of w * g = gradient`` for every loss of every row, used or not.

Weights are looked for among all rows' losses, so a row that leaked in from another step, one that was left out and one that counts
twice show without being asked for.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from quizapp.audit.observed import Observed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Unit = Literal["token", "row", "microbatch", "none"]
SINGLE = 1e-5
"""Relative size that the rounding of float32 stays below."""
DEFICIENT = 1e-10
"""Singular values below this share of the largest count as 0."""


class Terms(Protocol):
    """The gradients of all losses, which add up to those of the steps."""

    def total(self, weights: "Floats") -> "Floats":
        """The gradients [..., width] under weights [..., columns]."""

    def projected(self, directions: "Floats") -> "Floats":
        """Each loss's gradient along directions [width, D]: [columns, D]."""

    def solve(self, gradients: "Floats") -> "tuple[Floats, Floats] | None":
        """For gradients [n, width]: the columns' weights [n, columns], and those of the other loss terms [n, terms].

        ``None`` where the losses' gradients aren't independent.
        """


@dataclass(frozen=True)
class ProbeTerms:
    """Of the probe model: a loss's gradient is the outer product of its features and what its softmax is off."""

    features: "Floats"
    """[positions, F], independent."""
    errors: "Floats"
    """[columns, C]: probabilities less the target's one."""
    places: "NDArray[np.int64]"
    """[columns]: which position."""

    def total(self, weights: "Floats") -> "Floats":
        import numpy as np

        rows = weights.reshape(-1, len(self.errors))
        shape = (len(rows), len(self.features), self.errors.shape[1])
        errors = np.zeros(shape)
        for at, row in enumerate(rows):
            np.add.at(errors[at], self.places, row[:, None] * self.errors)
        whole = np.einsum("ntc,tf->ncf", errors, self.features, optimize=True)
        return np.asarray(whole.reshape(*weights.shape[:-1], shape[2] * self.features.shape[1]))

    def projected(self, directions: "Floats") -> "Floats":
        import numpy as np

        classes = self.errors.shape[1]
        found = np.zeros((len(self.errors), directions.shape[1]))
        for c, block in enumerate(directions.reshape(classes, -1, directions.shape[1])):
            found += self.errors[:, c, None] * (self.features @ block)[self.places]
        return found

    def solve(self, gradients: "Floats") -> "tuple[Floats, Floats] | None":
        import numpy as np

        count, classes = len(gradients), self.errors.shape[1]
        right = gradients.reshape(count * classes, self.features.shape[1]).T
        # Random features are far from dependent, so that normal equations lose nothing, and are much cheaper.
        solved = _solved(self.features, right)
        if solved is None:
            return None
        errors = solved.reshape(len(self.features), count, classes)
        weights = np.zeros((count, len(self.errors)))
        for place in np.unique(self.places):
            mine = np.flatnonzero(self.places == place)
            found = _solved(self.errors[mine], errors[place].T)
            if found is None:
                return None
            weights[:, mine] = found.T
        return weights, np.zeros((count, 0))


def _solved(rows: "Floats", right: "Floats") -> "Floats | None":
    """The least-squares solution of ``rows.T @ x = right``; ``None`` where the rows aren't independent."""
    import numpy as np

    gram = rows @ rows.T
    extremes = np.linalg.eigvalsh(gram)[[0, -1]]
    if extremes[0] <= DEFICIENT * extremes[1]:
        return None
    return np.asarray(np.linalg.solve(gram, rows @ right), dtype=np.float64)


@dataclass(frozen=True)
class DenseTerms:
    """Of any model: a row of numbers for each loss, those of other loss terms last."""

    rows: "Floats"
    """[columns + other terms, width]."""
    columns: int

    def total(self, weights: "Floats") -> "Floats":
        return weights @ self.rows[: weights.shape[-1]]

    def projected(self, directions: "Floats") -> "Floats":
        return self.rows[: self.columns] @ directions

    def solve(self, gradients: "Floats") -> "tuple[Floats, Floats] | None":
        import numpy as np

        if len(self.rows) > self.rows.shape[1]:
            return None
        solution, _, rank, _ = np.linalg.lstsq(self.rows.T, gradients.T, rcond=DEFICIENT)
        if rank < len(self.rows):
            return None
        solved: Floats = np.asarray(solution.T, dtype=np.float64)
        return solved[:, : self.columns], solved[:, self.columns :]


def terms_of(observed: Observed) -> "ProbeTerms | DenseTerms":
    """The losses' gradients, as the first rank wrote them."""
    import numpy as np

    raw, columns = observed.raw, observed.columns
    if not raw["probe"]:
        return DenseTerms(np.frombuffer(raw["numbers"]["terms"]).reshape(-1, raw["width"]), len(columns))
    features = np.frombuffer(raw["numbers"]["features"]).reshape(-1, raw["features"])
    probabilities = np.frombuffer(raw["numbers"]["probabilities"]).reshape(-1, raw["classes"])
    places = np.array([c.row * raw["length"] + c.position for c in columns], dtype=np.int64)
    targets = np.eye(raw["classes"])[[c.target for c in columns]]
    return ProbeTerms(features, probabilities[places] - targets, places)


@dataclass(frozen=True)
class Recovered:
    """The weights found."""

    unit: Unit
    weights: "Floats"
    """[steps, ranks, columns] for tokens; all losses of a unit have its weight where the unit is coarser. NaN where not found."""
    others: "Floats"
    """[steps, ranks, other loss terms]."""
    residual: "Floats"
    """[steps, ranks]: what the weights don't explain, relative to the gradient; NaN where a gradient isn't finite."""


def _units(observed: Observed, unit: Unit) -> "NDArray[np.int64]":
    """For each column the row, or the microbatch, that it belongs to; -1 for losses that are left out of coarser answers."""
    import numpy as np

    found = np.full(len(observed.columns), -1, dtype=np.int64)
    first: dict[tuple[int, int], int] = {}
    for index, use in enumerate(observed.uses):
        for place in use.places:
            first.setdefault(place, index)
    for place, column in observed.declared.items():
        if observed.counts(place):
            found[column] = place[0] if unit == "row" else first.get(place, -1)
    return found


def _coarse(observed: Observed, terms: DenseTerms, unit: Unit, finite: "Floats") -> "tuple[Floats, Floats] | None":
    """Weights of whole rows or microbatches, spread over their tokens."""
    import numpy as np

    units = _units(observed, unit)
    names = sorted(set(units.tolist()) - {-1})
    share = np.stack([units == name for name in names]).astype(np.float64)
    found = DenseTerms(np.concatenate([share @ terms.rows[: terms.columns], terms.rows[terms.columns :]]), len(names)).solve(finite)
    if found is None:
        return None
    weights = found[0] @ share
    weights[:, units < 0] = 0.0
    return weights, found[1]


def recover(observed: Observed, terms: "ProbeTerms | DenseTerms") -> Recovered:
    """The weights of every step, as each rank ended with it: of tokens where their gradients are independent, else coarser."""
    import numpy as np

    steps, ranks, width = observed.gradients.shape
    flat = observed.gradients.reshape(-1, width)
    known = np.isfinite(flat).all(axis=1)
    finite = flat[known]
    unit: Unit = "token"
    found = terms.solve(finite)
    if found is None and isinstance(terms, DenseTerms):
        coarser: Unit
        for coarser in ("row", "microbatch"):
            unit = coarser
            found = _coarse(observed, terms, unit, finite)
            if found is not None:
                break
    if found is None:
        nothing = np.full((steps, ranks, len(observed.columns)), np.nan)
        return Recovered("none", nothing, np.zeros((steps, ranks, 0)), np.full((steps, ranks), np.nan))
    solved = np.concatenate(found, axis=1) if isinstance(terms, DenseTerms) else found[0]
    off = np.linalg.norm(terms.total(solved) - finite, axis=1) / np.maximum(np.linalg.norm(finite, axis=1), 1e-300)
    off[np.linalg.norm(finite, axis=1) == 0] = 0.0
    weights = np.full((len(flat), len(observed.columns)), np.nan)
    weights[known] = found[0]
    others = np.full((len(flat), found[1].shape[1]), np.nan)
    others[known] = found[1]
    residual = np.full(len(flat), np.nan)
    residual[known] = off
    return Recovered(
        unit, weights.reshape(steps, ranks, -1), others.reshape(steps, ranks, others.shape[1]), residual.reshape(steps, ranks)
    )


def rounded(observed: Observed, recovered: Recovered) -> Observed:
    """The run, known to compute in float32 somewhere out of sight if what the weights leave unexplained is of that size."""
    import numpy as np

    known = recovered.residual[np.isfinite(recovered.residual)]
    worst = float(known.max(initial=0.0))
    if observed.precision[0] < worst <= SINGLE:
        return replace(observed, dtypes=observed.dtypes | {"float32"})
    return observed
