"""What an audit found, as data. Its JSON is the contract of ``quizapp audit --json``."""

from typing import Literal

from quizapp.model.base import Model

Kind = Literal[
    "ranks-disagree", "steps-differ", "not-finite", "no-weighting", "padding-counts", "label-shift", "other-steps-tokens", "factor",
    "left-out", "without-a-step", "clipped", "rows-dropped", "rows-repeated", "rows-reordered", "short-window", "coarser", "term",
    "forward-only", "precision",
]  # fmt: skip


class Finding(Model):
    """Something to know of a run, in a sentence."""

    kind: Kind
    fault: bool
    """Whether it makes the weights wrong; else it is only told."""
    message: str


class Named(Model):
    """A misconception whose weights explain every step."""

    id: str
    title: str
    computes: str
    cure: str
    formula: str
    """The weight of a valid token."""


class Weight(Model):
    """The weight of one loss in one step. Losses that neither weigh something nor should are left out."""

    rank: int | None
    """That used the row; ``None`` if none did."""
    microbatch: int | None
    """In its window, from 0."""
    window: int | None
    """The step in which the row was used, from 0: another than this one is a leak."""
    row: int
    token: int
    valid: bool
    label: Literal["own", "next", "previous", "zero"]
    """Which label the loss wants: the one that the objective speaks of, the one after or before it, or class 0."""
    wanted: float
    given: float | None


class View(Model):
    """A step's weights as ranks ended with them."""

    ranks: tuple[int, ...]
    """The ranks that ended with these."""
    residual: float | None
    """What the weights don't explain, relative to the gradient."""
    weights: tuple[Weight, ...]


class Step(Model):
    """One optimizer step."""

    step: int
    right: bool
    tokens: int
    """Valid tokens in its microbatches, all ranks."""
    microbatches: int
    """Per rank, of the rank that had most."""
    factor: float | None
    """By which all weights differ from those wanted, where they do so all alike; 1 where they are right."""
    clipped: bool
    views: tuple[View, ...]
    """One if all ranks ended with the same gradient."""


class Microbatch(Model):
    """Rows that a rank used together."""

    rank: int
    step: int | None
    """``None``: no optimizer step came after it."""
    rows: tuple[int, ...]


class Audit(Model):
    """The answer of ``quizapp audit``."""

    outcome: Literal["right", "wrong"]
    summary: str
    trainer: str
    objective: str
    formula: str
    """The objective's weight of a valid token."""
    python: str
    versions: dict[str, str]
    dtype: str
    tolerance: float
    """Weights that differ by less than this share of the largest count as the same, for the precision of the run."""
    ranks: int
    accumulate: int
    rows_per_microbatch: int
    shift: bool
    """Whether labels are predicted by the position before them."""
    options: dict[str, object]
    """What ``--set`` gave."""
    counts: tuple[int, ...]
    """Valid tokens of each row."""
    unit: Literal["token", "row", "microbatch", "none"]
    """What weights could be found for."""
    diagnosis: tuple[Named, ...]
    candidates: tuple[str, ...]
    """Where several ideas explain everything and this plan can't tell them apart: their ids."""
    findings: tuple[Finding, ...]
    steps: tuple[Step, ...]
    microbatches: tuple[Microbatch, ...]
    dropped: tuple[int, ...]
    """Rows that no microbatch used."""
    repeated: tuple[int, ...]
    """Rows that more than one microbatch used."""
    milliseconds: int
