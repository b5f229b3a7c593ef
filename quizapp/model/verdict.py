"""A verdict: what the judge says of one submission. Its JSON is the contract of ``quizapp submit --json``.

Numbers that aren't finite are ``null`` in JSON: a ``given`` weight that is ``null`` is NaN, infinite or not recoverable.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from quizapp.model.base import Model

Outcome = Literal["pass", "wrong", "desync", "error", "timeout", "limit", "invalid"]
"""``pass`` right on every scenario; ``wrong`` other numbers than wanted; ``desync`` ranks waited for each other for ever, or
issued collectives that don't pair up; ``error`` the code can't be loaded or raised; ``timeout`` it never returned; ``limit`` it
used more memory, processes or output than allowed; ``invalid`` what it returned isn't what the exercise asks for."""
Collectives = Literal["nccl", "gloo"]


def counted(counts: Sequence[Sequence[int]], steps: Sequence[int]) -> str:
    """Counts per rank and microbatch, ``2+1 then 3 | 4+0 then 1``. ``steps``: microbatches of each; none where it is one step."""
    bounds = [sum(steps[:index]) for index in range(len(steps) + 1)] if steps else [0, None]
    return " | ".join(" then ".join("+".join(map(str, row[start:end])) for start, end in pairwise(bounds)) for row in counts)


class TokenWeight(Model):
    """The weight of one token in the objective, wanted and given."""

    rank: int
    microbatch: int
    token: int
    valid: bool
    wanted: float
    given: float | None
    step: int = 0
    """The optimizer step in which it has these weights: its own, or another one in which it counts though it must not."""


class ListedRow(Model):
    """A valid position and its numbers."""

    rank: int
    microbatch: int
    values: tuple[float, ...]


class Listing(Model):
    """A scenario's own numbers, so that what is wanted can be checked by hand."""

    each: str
    """What a row stands for: ``sample``."""
    columns: tuple[str, ...]
    """What the values of a row are, in words."""
    rows: tuple[ListedRow, ...]
    note: str = ""


class ScenarioVerdict(Model):
    """What happened in one scenario at one world size."""

    name: str
    world_size: int
    counts: tuple[tuple[int, ...], ...]
    """Valid tokens, per rank and microbatch."""
    size: str | None = None
    """What the counts are, in words, where they aren't valid tokens."""
    unit: str = "valid tokens"
    """What is counted, in the plural."""
    steps: tuple[int, ...] = ()
    """Microbatches of each optimizer step, where there is more than one step."""
    outcome: Outcome
    max_relative_error: float | None = None
    """Largest error over ranks and entries, relative to the largest entry of the reference."""
    weights: tuple[TokenWeight, ...] = ()
    """Empty where the gradient is no weighting of the token losses."""
    weights_by_rank: tuple[tuple[TokenWeight, ...], ...] = ()
    """Where the ranks ended with different gradients: the weights in each rank's, in the order of ranks. Empty where one of them is
    no weighting of the token losses, or there are many tokens."""
    listing: Listing | None = None
    """Where the lab lists a scenario's numbers, and they are few."""
    other_terms: tuple[str, ...] = ()
    """What the objective has beside token losses, as ``the smoothing part of the loss``; no weights of it are given."""
    message: str | None = None

    @property
    def counted(self) -> str:
        """The counts as text: ranks apart by ``|``, steps by ``then``, microbatches by ``+``."""
        return counted(self.counts, self.steps)

    @property
    def called(self) -> str:
        """What it is called in a sentence: ``2 ranks, uneven (valid tokens 1 | 6)``."""
        return f"{self.world_size} ranks, {self.name} ({self.size or f'valid tokens {self.counted}'})"

    @property
    def at_the_edge(self) -> bool:
        """Whether something in it is empty, or it has no more valid tokens than ranks: then many mistakes look alike."""
        return not all(map(all, self.counts)) or sum(map(sum, self.counts)) <= self.world_size


class Diagnosis(Model):
    """A misconception whose prediction matched every scenario."""

    id: str
    title: str
    evidence: str


class Place(Model):
    """A place in the learner's file."""

    line: int
    column: int | None = None
    function: str | None = None


class RankReport(Model):
    """Where one rank stood when the ranks parted ways or time ran out, or the exception it raised."""

    rank: int
    state: Literal["finished", "waiting", "running", "raised", "exited", "killed", "not run"]
    """``not run``: the file was refused before any rank began."""
    collective: str | None = None
    """The last collective that it entered: kind, shape and order number."""
    collectives: tuple[str, ...] = ()
    """The last few of them, oldest first."""
    place: Place | None = None
    message: str | None = None


class Verdict(Model):
    """The judge's answer."""

    outcome: Outcome
    points: int
    max_points: int
    seed: int
    summary: str
    """One or two sentences for the learner."""
    diagnosis: tuple[Diagnosis, ...] = ()
    scenarios: tuple[ScenarioVerdict, ...] = ()
    counterexample: ScenarioVerdict | None = None
    """The smallest failing scenario."""
    ranks: tuple[RankReport, ...] = ()
    """For every outcome but ``pass`` and ``wrong``: the ranks of the scenario that failed."""
    output: str = ""
    """What the submission printed, cut at the lab's limit."""
    backend: Literal["docker", "local"]
    sandbox: Literal["container", "bubblewrap", "none"]
    """What shut the submission in; ``none`` where it ran with the user's own rights, or did not run at all."""
    device: str
    collectives: Collectives
    milliseconds: float
