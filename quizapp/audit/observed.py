"""What the ranks wrote, read: which rows each microbatch used, and each step's gradient. Nothing is judged here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from quizapp.audit.plan import Plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Whose = Literal["own", "next", "previous", "zero"]
Place = tuple[int, int]
"""Row and position."""
LOOSE = {"float64": (1e-9, 2e-6), "float32": (1e-4, 2e-4), "bfloat16": (0.03, 0.03), "float16": (0.01, 0.01)}
"""Precision -> relative residual of a gradient that is a weighting, and relative difference of weights that count as the same. The
second is wider in float64: a right program may compute a factor in float32."""


@dataclass(frozen=True)
class Column:
    """One loss whose weight is looked for: of a position, with the target that the objective speaks of (``own``) or another."""

    row: int
    position: int
    whose: Whose
    target: int


@dataclass(frozen=True)
class Use:
    """A microbatch that a backward pass reached."""

    rank: int
    step: int | None
    """The optimizer step that came next; ``None`` if none came."""
    microbatch: int
    """In its window, from 0."""
    places: tuple[Place, ...]

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """Its rows, in order."""
        return tuple(dict.fromkeys(row for row, _ in self.places))


@dataclass(frozen=True)
class Observed:
    """One run."""

    plan: Plan
    columns: tuple[Column, ...]
    mask: tuple[tuple[bool, ...], ...]
    """Per row and position: has a label that isn't -100."""
    uses: tuple[Use, ...]
    taken: tuple[int, ...]
    """Optimizer steps of each rank."""
    gradients: "Floats"
    """[steps that all ranks took, ranks, width]."""
    norms: "Floats"
    """[steps, ranks]."""
    raw: Mapping[str, Any]
    """The first rank's result."""
    dtypes: frozenset[str]
    forwards_only: int
    """Forward passes over the data set that no backward pass reached."""

    @property
    def steps(self) -> int:
        """Steps that all ranks took."""
        return int(self.gradients.shape[0])

    @cached_property
    def precision(self) -> tuple[float, float]:
        """Tolerances for the lowest precision that the run used."""
        known = [LOOSE[name] for name in self.dtypes if name in LOOSE]
        return max(known, default=LOOSE["float64"])

    def counts(self, place: Place) -> bool:
        """Whether a position is a valid token: it predicts a label that isn't -100."""
        row, position = place
        if self.plan.shift:
            return position + 1 < len(self.mask[row]) and self.mask[row][position + 1]
        return self.mask[row][position]

    @cached_property
    def declared(self) -> Mapping[Place, int]:
        """For each position the column that the objective speaks of."""
        return {(c.row, c.position): index for index, c in enumerate(self.columns) if c.whose == "own"}

    @cached_property
    def idle(self) -> bool:
        """Whether every step was taken with a zero gradient."""
        return not self.norms.any()

    @cached_property
    def used(self) -> Counter[int]:
        """How often each row went into a microbatch."""
        return Counter(row for use in self.uses for row in use.rows)


def _uses(rank: int, result: Mapping[str, Any]) -> list[Use]:
    found: list[Use] = []
    pending: list[int] = []
    step = 0

    def window(at: int | None) -> list[Use]:
        order = sorted(pending)
        return [Use(rank, at, k, tuple((row, t) for row, t in result["forwards"][index])) for k, index in enumerate(order)]

    for what, index in result["events"]:
        if what == "backward":
            pending.append(index)
        else:
            found += window(step)
            pending.clear()
            step += 1
    return found + window(None)


def read(plan: Plan, results: Sequence[Mapping[str, Any]]) -> Observed:
    """The results of all ranks, rank 0 first."""
    import numpy as np

    first = results[0]
    columns = tuple(Column(*entry) for entry in first["columns"])
    taken = tuple(len(result["norms"]) for result in results)
    steps = min(taken)
    arrays = [
        np.frombuffer(result["numbers"][f"steps-{rank}"]).reshape(-1, first["width"])[:steps] for rank, result in enumerate(results)
    ]
    return Observed(
        plan=plan,
        columns=columns,
        mask=tuple(tuple(row) for row in first["mask"]),
        uses=tuple(use for rank, result in enumerate(results) for use in _uses(rank, result)),
        taken=taken,
        gradients=np.stack(arrays, axis=1),
        norms=np.array([result["norms"][:steps] for result in results], dtype=np.float64).T.reshape(steps, len(results)),
        raw=first,
        dtypes=frozenset(name for result in results for name in result["dtypes"]),
        forwards_only=sum(len(result["forwards"]) - sum(what == "backward" for what, _ in result["events"]) for result in results),
    )
