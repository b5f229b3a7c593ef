"""A lab: a code part's ``lab.yaml``. What is called, on which scenarios, what is observed, which wrong ideas predict what.

Pure data. Drawing scenarios is ``quizapp.judge.scenario``; running them is ``quizapp_sandbox``.

Weight formulas speak of one token in the gradient of one optimizer step, and may use the names of :data:`WEIGHT_NAMES`. A
formula that doesn't mention ``s`` counts for the step of the token's own window and is 0 for all others.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from quizapp.model.base import FormulaText, Id, Markdown, Model, as_formula_text

Shape = Literal["uneven", "even", "one-token-rank", "empty-rank", "lone-token", "all-empty"]
Observation = Literal["gradients", "state", "returned"]
Weight = Annotated[FormulaText, BeforeValidator(as_formula_text, json_schema_input_type=str | int | float)]

WEIGHT_NAMES: Mapping[str, str] = {
    "R": "ranks",
    "K": "microbatches per rank and window as configured",
    "K_w": "microbatches per rank in the token's window",
    "N": "valid tokens in the token's window, all ranks",
    "T": "positions, padding included, in the token's window, all ranks",
    "r": "the token's rank",
    "k": "the token's microbatch, counted from 0 in its window",
    "w": "the token's window, counted from 0",
    "s": "the optimizer step that is looked at, counted from 0",
    "W": "windows",
    "q": "the rank whose gradient is looked at",
    "n_r": "valid tokens of the token's rank in its window",
    "t_r": "positions of the token's rank in its window",
    "n_k": "valid tokens of the token's microbatch, all ranks",
    "n_rk": "valid tokens of the token's microbatch on its rank",
    "t_rk": "positions of the token's microbatch on its rank",
    "n": "vector over ranks: valid tokens in the token's window",
    "t": "vector over ranks: positions in the token's window",
}
"""Variable of weight formulas -> what it stands for."""


class WeightRule(Model):
    """The weight of every token in the gradients that the ranks end with. A division by zero means NaN."""

    valid: Weight
    padding: Weight = "0"
    steps: Weight | None = None
    """How many optimizer steps are taken; one for each window where absent."""


class ScenarioSpec(Model):
    """One situation to run at every world size."""

    name: Id
    shape: Shape
    """Valid counts over ranks: ``uneven`` (pairwise distinct, none 0), ``even`` (all equal), ``one-token-rank`` (uneven, one
    rank has exactly 1), ``empty-rank`` (uneven, one rank has 0), ``lone-token`` (one valid token in all, so fewer than ranks),
    ``all-empty``."""
    windows: Annotated[int, Field(ge=1, le=4)] = 1
    """Full accumulation windows."""
    tail: bool = False
    """One more window, with fewer microbatches than the others."""
    empty_microbatch: bool = False
    """One microbatch of each window has no valid token on any rank."""
    probe: bool = False
    """The losses are a random leaf without a model behind it, so that code which computes the answer by another road is caught."""
    crowded: bool = False
    """Each window has 257 valid tokens over all ranks, nearly all of them on one, whatever ``sizes`` says: the least count that is
    neither held by a byte nor exact in bfloat16. Where that is more than features have columns elsewhere, they are narrow, and
    weights are found for each rank and microbatch in place of each token."""

    @model_validator(mode="after")
    def _crowds_are_uneven(self) -> "ScenarioSpec":
        if self.crowded and (self.shape != "uneven" or self.empty_microbatch):
            raise ValueError("a crowded scenario is uneven: write shape: uneven, without empty_microbatch")
        return self


class Sizes(Model):
    """How large scenarios are. Ranges are inclusive."""

    valid: tuple[int, int] = (1, 7)
    """Valid tokens per rank and microbatch."""
    padding: tuple[int, int] = (1, 3)
    """Padded positions per rank and microbatch; their targets are real and only the mask tells them apart."""
    microbatches: tuple[int, int] = (1, 1)
    """Microbatches per rank and window."""


class Draw(Model):
    """An array that a scenario hands out: random numbers, or what the masks hold. Exactly one of the laws."""

    each: Literal["microbatch", "rank", "scenario"] = "microbatch"
    """``microbatch``: one for each rank and microbatch, named ``NAME.k``; ``rank``: one for each rank; ``scenario``: shared."""
    shape: tuple[int | Literal["positions", "width"], ...] = ()
    """``positions``: of the microbatch; ``width``: more than all positions together, so that gradients are independent."""
    normal: tuple[float, float] | None = None
    """Mean and standard deviation, float64."""
    uniform: tuple[float, float] | None = None
    """Least and greatest, float64."""
    integers: tuple[int, int] | None = None
    """Least and greatest, int64."""
    values: tuple[float, ...] | None = None
    """These very numbers, float64 [len]."""
    counts: Literal["valid", "positions"] | None = None
    """What the masks hold, int64 [ranks, microbatches over all windows]; told to every rank, so only with ``each: scenario``. For
    drives that lay out a data set over ranks; a learner who must find the count shouldn't be handed it."""

    @model_validator(mode="after")
    def _one_law(self) -> "Draw":
        if sum(law is not None for law in (self.normal, self.uniform, self.integers, self.values, self.counts)) != 1:
            raise ValueError("an array is drawn by exactly one of normal, uniform, integers, values, counts")
        if self.counts is not None and self.each != "scenario":
            raise ValueError("counts are those of all ranks; write each: scenario")
        return self


STANDARD_DRAWS: Mapping[str, Draw] = {
    "features": Draw(shape=("positions", "width"), normal=(0.0, 1.0)),
    "targets": Draw(shape=("positions",), integers=(0, 2)),
    "weight": Draw(each="scenario", shape=("width", 3), normal=(0.0, 0.1)),
}
"""A linear classifier over three classes: features [positions, width], targets [positions], initial weight [width, 3]."""


class LabMisconception(Model):
    """A wrong idea's prediction for this lab."""

    id: Id
    weights: tuple[WeightRule, ...] = ()
    """Any one rule that matches every scenario names the misconception. Empty: functions of ``oracle.py``, or ``desync``."""
    desync: FormulaText | None = None
    """True for the scenarios in which the ranks part ways; in the others the observation is right, or as ``weights`` say."""
    hint: Markdown | None = None


class ArrayWords(Model):
    """How a verdict speaks of an array that ranks end with: ``after step 2: the loss scale 1024 on rank 0, wanted 512``."""

    called: str
    """``{name}`` in it is the array's name, ``{entry}`` what the entry that is told is called."""
    rows: tuple[str, ...] = ()
    """What each entry of the first axis is, as many as there may be; the first row with a difference is told. Absent: the array
    is one row."""
    entries: tuple[str, ...] = ()
    """What each entry of a row is; the first with a difference is told, and others are named. Absent: the row is listed."""
    values: dict[str, str] = Field(default_factory=dict)
    """Words for whole numbers."""
    filler: int | None = None
    """An entry that stands for none."""


class OtherTerm(Model):
    """Rows of the oracle's ``terms`` after those of token losses, and how a verdict speaks of them."""

    called: str
    """In the singular: ``the balance term``."""
    units: Literal["microbatches", "positions"]
    """What it has a row for."""


class ListedDraws(Model):
    """Which numbers of a small scenario a verdict lists, so that a learner can check by hand what is wanted. Valid positions are
    numbered over ranks in order, then microbatches; a drawn array holds the number of each at its place."""

    each: str = "token"
    """What a valid position is called: ``sample``."""
    columns: Annotated[dict[str, str], Field(min_length=1)]
    """Name of an array of ``draws``, shared and of one axis -> what its numbers are."""
    note: str = ""
    """What else there is to know of them, in a sentence."""


class Limits(Model):
    """What one submission may use."""

    seconds: Annotated[float, Field(gt=0, le=120)] = 5.0
    """Wall time of one scenario."""
    total_seconds: Annotated[float, Field(gt=0, le=600)] | None = None
    """Wall time of all scenarios of a submission together. Absent: twelve scenarios' and a minute, as busy machines are slow."""
    output_bytes: Annotated[int, Field(gt=0, le=1 << 20)] = 256 << 10
    """Printed text allowed in one scenario, all ranks together; more is the outcome ``limit``."""

    @property
    def in_all(self) -> float:
        """Seconds for all scenarios together."""
        return self.total_seconds if self.total_seconds is not None else 12 * self.seconds + 60


OWN_DRIVE = "drive.py"
READY_DRIVES = ("loss-under-ddp", "train-epoch", "train-step", "train-window", "trainer")
"""Their labs want the token mean of each window unless they bring an ``oracle.py``."""


class Lab(Model):
    """``lab.yaml``."""

    entry: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    """The function that a submission must define."""
    signature: Markdown
    """The entry with its parameters, as shown to the learner."""
    drive: str = "loss-under-ddp"
    """A ready drive's name (``READY_DRIVES``), or ``drive.py`` of this folder."""
    observation: Observation = "gradients"
    objective: WeightRule | None = None
    """The weights wanted. Absent: ``wanted(scenario)`` of ``oracle.py`` gives them, or the lab observes no gradients."""
    world_sizes: Annotated[tuple[Annotated[int, Field(ge=1, le=8)], ...], Field(min_length=1)] = (2, 3, 4)
    sizes: Sizes = Sizes()
    draws: dict[str, Draw] = Field(default_factory=lambda: dict(STANDARD_DRAWS))
    """Name -> array. Replaces the standard classifier's arrays altogether."""
    scenarios: Annotated[tuple[ScenarioSpec, ...], Field(min_length=1)]
    misconceptions: tuple[LabMisconception, ...] = ()
    limits: Limits = Limits()
    unit: str = "valid tokens"
    """What is counted, in the plural: so the learner reads what N and n_r stand for."""
    size: str = ""
    """What a scenario's counts are, where they aren't valid tokens, for the learner: ``{total} examples``, ``samples {counts}``.
    ``{empty}``: the ranks without any, by window. ``{padding}``: the padded positions, of ranks that have valid ones."""
    arrays: dict[str, ArrayWords] = Field(default_factory=dict)
    """Name of an observed array, or ``*`` for every other one -> words for it, the most telling first."""
    listed: ListedDraws | None = None
    """Numbers that a verdict lists of a small scenario."""
    other_terms: tuple[OtherTerm, ...] = ()
    """Of the rows of ``terms`` after those of token losses, in their order. ``wanted`` of the oracle then has their weights too."""
