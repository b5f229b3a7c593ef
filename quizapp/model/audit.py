"""What an audit found, what is kept of one, and how an item names it. ``Audit`` is the contract of ``quizapp audit --json``."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from quizapp.model.base import Model
from quizapp.model.figures import as_fraction

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
    python: str = ""
    """The Python that ran the trainer; empty in a record."""
    versions: dict[str, str]
    dtype: Literal["float64", "float32", "bfloat16"]
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
    milliseconds: int = 0


class Record(Model):
    """An audit that was kept, as ``benchmarks/audits.py`` writes it: what differs from run to run is left out."""

    name: str
    said: str
    """What was audited, in words."""
    arguments: tuple[str, ...]
    """Of ``quizapp audit``."""
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """Of the run."""
    report: Audit


Pin = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][A-Za-z0-9.+!-]*$")]
"""A distribution at one version, as pip takes it: ``transformers==4.45.2``."""


class ItemAudit(Model):
    """A released library that an item shows: what was recorded of it, and where it can be run again."""

    record: str
    """The record, relative to the bank's file. The stem holds its table."""
    steps: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Optimizer steps that the stem's table shows, counted from 1; all where absent."""
    environment: Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
    """The name of a Python environment that holds the library."""
    requires: Annotated[tuple[Pin, ...], Field(min_length=1)]
    """What must be installed in it, the library first."""


class Shown(Model):
    """The weights that an item shows, and where they come from. Its JSON is that of ``quizapp audit --item ID --json``."""

    item: str
    source: Literal["recorded", "live"]
    date: str
    """Of the run, year-month-day."""
    environment: str
    """The environment that the item names."""
    python: str | None
    """The Python that ran the library, where the weights are live."""
    missing: str | None
    """Why the weights aren't live, where they aren't and that was not asked for."""
    as_recorded: bool | None
    """Whether live weights are those of the record."""
    report: Audit


def rows_of(report: Audit, steps: Sequence[int] = ()) -> list[tuple[int, int, int, int, list[float | None]]]:
    """Step (from 1), rank, row, valid tokens and the weights given, all alike or not, for each row that a step used."""
    found = []
    for step in report.steps:
        held: dict[tuple[int, int], list[float | None]] = {}
        for weight in step.views[0].weights:
            if weight.valid and weight.label == "own" and weight.rank is not None:
                held.setdefault((weight.rank, weight.row), []).append(weight.given)
        if not steps or step.step + 1 in steps:
            found += [(step.step + 1, rank, row, len(given), given) for (rank, row), given in held.items()]
    return found


def table(report: Audit, steps: Sequence[int] = ()) -> str:
    """A report's weights as a Markdown table, for an item's stem: a line for each row of the data set that a step used."""
    lines = ["| step | rank | row | valid tokens | weight of each |", "|---|---|---|---|---|"]
    for step, rank, row, tokens, given in rows_of(report, steps):
        each = " or ".join(dict.fromkeys("?" if value is None else as_fraction(value) for value in given))
        lines.append(f"| {step} | {rank} | {row} | {tokens} | {each} |")
    return "\n".join(lines)


def libraries(report: Audit) -> str:
    """The versions that a run had, in a line: ``transformers 4.45.2, accelerate 0.34.2, torch 2.13.0+cpu``."""
    named = {name: version for name, version in report.versions.items() if name not in ("python", "torch")}
    last = {name: report.versions[name] for name in ("torch",) if name in report.versions}
    return ", ".join(f"{name} {version}" for name, version in (named | last).items())


def provenance(shown: Shown) -> str:
    """Live or recorded, when, of which versions."""
    versions = libraries(shown.report)
    if shown.source == "recorded":
        return f"Recorded on {shown.date}: {versions}."
    alike = "the weights are those of the record" if shown.as_recorded else "the weights are NOT those of the record"
    return f"Live, {shown.date}: {versions}; {alike}."
