"""The playground: token counts and loss sums of ranks and microbatches, a way of normalizing, and what comes of it.

Exact fractions over what the learner types; pure functions, no torch, no screens. DDP's average over ranks is part of each way.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

MOST_RANKS = 16
MOST_MICROBATCHES = 16
MOST_TOKENS = 1_000_000

Counts = tuple[tuple[int, ...], ...]
Sums = tuple[tuple[Fraction, ...], ...]


class SetupError(ValueError):
    """What was typed can't be used; the message says what to type instead."""


class SumsError(SetupError):
    """The sums of losses don't fit the counts, as while one of the two is being typed; weights need the counts alone."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One optimizer step: valid tokens and loss sums, both [ranks][microbatches], and the microbatches that were planned."""

    counts: Counts
    sums: Sums
    planned: int

    @property
    def ranks(self) -> int:
        return len(self.counts)

    @property
    def microbatches(self) -> int:
        return len(self.counts[0])

    @property
    def tokens(self) -> int:
        return sum(map(sum, self.counts))

    @property
    def longest(self) -> int:
        """Positions of a microbatch when all are padded to the longest one."""
        return max(max(rank) for rank in self.counts)


Weight = Callable[[Setup, int, int], Fraction]
"""The weight of one valid token of (rank, microbatch) in the gradient that every rank ends with.

Raises ``ZeroDivisionError`` where the way divides nothing by nothing.
"""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of normalizing. ``misconception``: an id of the registry, ``None`` for the right one."""

    id: str
    title: str
    formula: str
    weight: Weight
    misconception: str | None = None


WAYS = (
    Way("right", "R·L_r/N, then DDP's average", "1/N", lambda s, r, k: Fraction(1, s.tokens)),
    Way(
        "rank-means", "each rank's own mean", "1/(R·n_r)",
        lambda s, r, k: Fraction(1, s.ranks * sum(s.counts[r])), "mean-of-rank-means",
    ),
    Way(
        "microbatch-means", "each microbatch's mean, over K", "1/(R·K·n_rk)",
        lambda s, r, k: Fraction(1, s.ranks * s.microbatches * s.counts[r][k]), "mean-of-microbatch-means",
    ),
    Way(
        "planned", "each microbatch's mean, over the planned K", "1/(R·planned·n_rk)",
        lambda s, r, k: Fraction(1, s.ranks * s.planned * s.counts[r][k]), "planned-microbatches",
    ),
    Way(
        "no-factor", "L_r/N, the factor R forgotten", "1/(R·N)",
        lambda s, r, k: Fraction(1, s.ranks * s.tokens), "forgot-world-size-factor",
    ),
    Way("summed", "rank means, added up by a SUM hook", "1/n_r", lambda s, r, k: Fraction(1, sum(s.counts[r])), "means-summed"),
    Way(
        "padding", "padding counted, all padded to the longest", "1/(R·K·longest)",
        lambda s, r, k: Fraction(1, s.ranks * s.microbatches * s.longest), "padding-counted",
    ),
    Way("sum", "no division at all", "1/R", lambda s, r, k: Fraction(1, s.ranks), None),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """The valid tokens of one rank's microbatch. ``given`` is ``None`` where the way makes NaN of it."""

    rank: int
    microbatch: int
    tokens: int
    wanted: Fraction
    given: Fraction | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a way makes of a step. ``given`` is ``None`` where it is NaN; ``notes`` say what else there is to see."""

    wanted: Fraction
    given: Fraction | None
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether every token got its weight; the means may agree by luck."""
        return all(cell.given == cell.wanted for cell in self.cells if cell.tokens)


def outcome(setup: Setup, way: Way) -> Outcome:
    """Weights and means of a step; the objective is the mean over all valid tokens, agreed to be 0 where there is none."""
    share = Fraction(1, setup.tokens) if setup.tokens else Fraction(0)
    cells, empty = [], []
    for rank, counts in enumerate(setup.counts):
        for microbatch, tokens in enumerate(counts):
            try:
                given = way.weight(setup, rank, microbatch)
            except ZeroDivisionError:
                given = None
                empty.append((rank, microbatch))
            cells.append(Cell(rank, microbatch, tokens, share, given))
    notes = []
    if empty and not setup.tokens:
        notes.append("No token is valid: 0/0 is NaN. Agree on 0, and let every rank join every collective all the same.")
    elif empty:
        where = ", ".join(f"rank {r}" + (f" microbatch {k + 1}" if setup.microbatches > 1 else "") for r, k in empty)
        notes.append(f"{where}: nothing divided by nothing. Unguarded that is NaN for every rank; here it counts 0.")
    wanted, given = Fraction(0), Fraction(0)
    for cell in cells:
        total = setup.sums[cell.rank][cell.microbatch]
        wanted += cell.wanted * total
        given += (cell.given or Fraction(0)) * total
    result = Outcome(wanted, None if empty and not setup.tokens else given, tuple(cells), ())
    if not result.is_right and result.given == wanted and setup.tokens:
        notes.append("The means agree and the weights don't: with other losses they part.")
    if result.is_right and way.misconception is not None and setup.tokens:
        notes.append("Right here, and by luck: change a count.")
    return Outcome(result.wanted, result.given, result.cells, tuple(notes))


def _cells(text: str, what: str) -> list[list[str]]:
    if not text.strip():
        raise SetupError(f"{what}: type a number for each rank, as in 1 | 3")
    ranks = [part.strip() for part in re.split(r"[|,;]", text)]
    if len(ranks) == 1 and len(text.split()) > 1 and "+" not in text:
        ranks = text.split()
    if len(ranks) > MOST_RANKS:
        raise SetupError(f"{what}: {len(ranks)} ranks; {MOST_RANKS} is the most that can be shown")
    rows = [[cell.strip() for cell in rank.split("+")] for rank in ranks]
    if any(not cell for row in rows for cell in row):
        raise SetupError(f"{what}: a number is missing; ranks are parted by |, microbatches by +, as in 1+2 | 3+0")
    if len({len(row) for row in rows}) > 1:
        raise SetupError(f"{what}: every rank needs the same number of microbatches; write 0 for an empty one")
    if len(rows[0]) > MOST_MICROBATCHES:
        raise SetupError(f"{what}: {len(rows[0])} microbatches; {MOST_MICROBATCHES} is the most that can be shown")
    return rows


def read_setup(counts: str, sums: str, planned: str = "") -> Setup:
    """What the learner typed. Ranks are parted by ``|``, a rank's microbatches by ``+``: ``1+2 | 3+0``.

    ``sums``: empty for every token's loss being 1. ``planned``: empty for as many as there are.

    Raises:
        SetupError: it can't be read.
        SumsError: the sums don't fit the counts, which are sound.
    """
    numbers: list[tuple[int, ...]] = []
    for row in _cells(counts, "valid tokens"):
        for cell in row:
            if not re.fullmatch(r"[0-9]{1,7}", cell) or int(cell) > MOST_TOKENS:
                raise SetupError(f"valid tokens: {cell!r} is no count; whole numbers from 0 to {MOST_TOKENS}")
        numbers.append(tuple(map(int, row)))
    if planned.strip() and not re.fullmatch(r"[1-9][0-9]{0,2}", planned.strip()):
        raise SetupError("planned microbatches: a whole number from 1 to 999")
    if sums.strip():
        totals: list[tuple[Fraction, ...]] = []
        for row in _cells(sums, "loss sums"):
            try:
                totals.append(tuple(Fraction(cell) for cell in row))
            except (ValueError, ZeroDivisionError):
                raise SetupError("loss sums: numbers such as 4, 1.5 or 8/3") from None
    else:
        totals = [tuple(map(Fraction, row)) for row in numbers]
    if [len(row) for row in totals] != [len(row) for row in numbers]:
        raise SumsError("loss sums: as many ranks and microbatches as there are token counts")
    for rank, (given, own) in enumerate(zip(totals, numbers, strict=True)):
        if any(total and not count for total, count in zip(given, own, strict=True)):
            raise SumsError(f"loss sums: rank {rank} has a loss where it has no token; write 0 there")
    return Setup(tuple(numbers), tuple(totals), int(planned) if planned.strip() else len(numbers[0]))
