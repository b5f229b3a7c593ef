"""A lab: a code part's ``lab.yaml``. What is called, on which scenarios, what is observed, which wrong ideas predict what.

Pure data. Drawing scenarios is ``quizapp.judge.scenario``; running them is ``quizapp_sandbox``.

Weight formulas speak of one token and may use: ``R`` ranks, ``K`` microbatches per rank, ``N`` valid tokens, ``T`` positions
with padding, the token's rank ``r`` and microbatch ``k``, the observing rank ``q``, ``n_r`` and ``t_r`` (valid tokens and
positions of the token's rank), ``n_rk`` and ``t_rk`` (of its microbatch), and the vectors ``n`` and ``t`` over ranks.
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from quizapp.model.base import FormulaText, Id, Markdown, Model, as_formula_text

Shape = Literal["uneven", "even", "one-token-rank", "empty-rank", "lone-token", "all-empty"]
Observation = Literal["gradients", "state", "returned"]
Weight = Annotated[FormulaText, BeforeValidator(as_formula_text)]


class WeightRule(Model):
    """The weight of every token in the gradient that the ranks end with. A division by zero means NaN."""

    valid: Weight
    padding: Weight = "0"


class ScenarioSpec(Model):
    """One situation to run at every world size."""

    name: Id
    shape: Shape
    """Valid counts over ranks: ``uneven`` (pairwise distinct, none 0), ``even`` (all equal), ``one-token-rank`` (uneven, one
    rank has exactly 1), ``empty-rank`` (uneven, one rank has 0), ``lone-token`` (one valid token in all, so fewer than ranks),
    ``all-empty``."""
    probe: bool = False
    """The losses are a random leaf without a model behind it, so that code which computes the answer by another road is caught."""


class Sizes(Model):
    """How large scenarios are. Ranges are inclusive."""

    valid: tuple[int, int] = (1, 7)
    """Valid tokens per rank and microbatch."""
    padding: tuple[int, int] = (1, 3)
    """Padded positions per rank and microbatch; their targets are real and only the mask tells them apart."""
    microbatches: tuple[int, int] = (1, 1)


class LabMisconception(Model):
    """A wrong idea's prediction for this lab."""

    id: Id
    weights: tuple[WeightRule, ...] = ()
    """Any one rule that matches every scenario names the misconception. Empty: a function of ``oracle.py``, or ``desync``."""
    desync: FormulaText | None = None
    """True for the scenarios in which the ranks part ways; in the others the observation is right, or as ``weights`` say."""
    hint: Markdown | None = None


class Limits(Model):
    """What one submission may use."""

    seconds: Annotated[float, Field(gt=0, le=120)] = 5.0
    """Wall time of one scenario."""
    output_bytes: Annotated[int, Field(gt=0, le=1 << 20)] = 256 << 10
    """Printed text allowed in one scenario, all ranks together; more is the outcome ``limit``."""


class Lab(Model):
    """``lab.yaml``."""

    entry: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    """The function that a submission must define."""
    signature: Markdown
    """The entry with its parameters, as shown to the learner."""
    drive: str = "loss-under-ddp"
    """A ready drive's name, or ``drive.py`` of this folder."""
    observation: Observation = "gradients"
    objective: WeightRule
    """The weights wanted."""
    world_sizes: Annotated[tuple[Annotated[int, Field(ge=1, le=8)], ...], Field(min_length=1)] = (2, 3, 4)
    sizes: Sizes = Sizes()
    scenarios: Annotated[tuple[ScenarioSpec, ...], Field(min_length=1)]
    misconceptions: tuple[LabMisconception, ...] = ()
    limits: Limits = Limits()
