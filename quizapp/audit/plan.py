"""What an audit runs: which file, how many ranks, which rows. Counts that tell wrong averages apart; nothing is run here."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

Dtype = Literal["float64", "float32", "bfloat16"]
ADAPTERS = {"accelerate": "accelerate", "ddp": "ddp", "fsdp2": "fsdp2", "hf-trainer": "hf_trainer", "lightning": "lightning"}
"""Name on the command line -> module of ``quizapp_auditor.adapters``."""
MOST_POSITIONS = 1500
"""Rows times their length: beyond that the probe model alone takes seconds."""
TRIES = 2000


class PlanError(ValueError):
    """A plan that can't be run; the message says what to change."""


@dataclass(frozen=True)
class Plan:
    """One audit. Row i of the data set has ``counts[i]`` tokens with a loss."""

    file: Path
    """The person's file, or an adapter's."""
    counts: tuple[int, ...]
    ranks: int = 2
    accumulate: int = 2
    """Microbatches per rank and optimizer step."""
    rows_per_microbatch: int = 1
    adapter: str | None = None
    module: str | None = None
    """The name under which the file is imported, where it has one."""
    entry: str | None = None
    """The function to call as ``train_step``; ``build`` or ``train_step`` of the file where absent."""
    dtype: Dtype = "float64"
    shift: bool = False
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_sizes(self.ranks, self.accumulate, self.rows_per_microbatch)
        if self.ranks > 8:
            raise PlanError("at most 8 ranks")
        if not self.counts or min(self.counts) < 0 or not any(self.counts):
            raise PlanError("rows need counts of valid tokens, 0 or more, at least one of them not 0: --rows 1,2,5,3")
        if len(self.counts) * (max(self.counts) + 3) > MOST_POSITIONS:
            raise PlanError(f"more than {MOST_POSITIONS} positions in all; take fewer or shorter rows")

    @property
    def name(self) -> str:
        """What the trainer is called in a report."""
        return self.adapter or self.file.name


def _check_sizes(*sizes: int) -> None:
    if min(sizes) < 1:
        raise PlanError("ranks, microbatches per step and rows per microbatch are at least 1")


def _cells(counts: Sequence[int], ranks: int, rows: int, blocks: bool) -> list[list[int]]:
    """Valid tokens per microbatch (rows of the result) and rank, as ``DistributedSampler`` deals, or in blocks of whole batches."""
    found = []
    for start in range(0, len(counts), ranks * rows):
        part = counts[start : start + ranks * rows]
        shares = [part[r * rows : (r + 1) * rows] if blocks else part[r::ranks] for r in range(ranks)]
        found.append([sum(share) for share in shares])
    return found


def _telling(counts: Sequence[int], ranks: int, accumulate: int, rows: int) -> bool:
    """Whether no two microbatches or ranks of a window, and no two windows, have the same number of tokens."""
    for blocks in (False, True) if rows > 1 else (False,):
        cells = _cells(counts, ranks, rows, blocks)
        windows = [cells[start : start + accumulate] for start in range(0, len(cells), accumulate)]
        totals = []
        for window in windows:
            each = [count for microbatch in window for count in microbatch]
            by_rank = [sum(microbatch[r] for microbatch in window) for r in range(ranks)]
            by_microbatch = [sum(microbatch) for microbatch in window]
            if any(len(set(row)) < len(row) for row in (each, by_rank, by_microbatch)):
                return False
            totals.append(sum(each))
        if any(a == b for a, b in pairwise(sorted(totals))):
            return False
    return True


def default_counts(ranks: int, accumulate: int, rows: int, seed: int = 0) -> tuple[int, ...]:
    """Counts for three windows without accumulation; with it, for a full window and a short one.

    Raises:
        PlanError: too many rows for one audit, or none.
    """
    _check_sizes(ranks, accumulate, rows)
    tail = accumulate - 1
    windows = 3 if accumulate == 1 else 1
    total = ranks * rows * (accumulate * windows + tail)
    cell = ranks * rows * accumulate
    if total * (cell + 3) > MOST_POSITIONS:
        raise PlanError(f"more than {MOST_POSITIONS} positions in all; take fewer ranks, microbatches or rows in each")
    draw = random.Random(f"{ranks} {accumulate} {rows} {seed}")
    for attempt in range(TRIES):
        most = cell + 2 + attempt // 100
        counts: list[int] = []
        while len(counts) < total:
            counts += draw.sample(range(1, most + 1), min(cell, total - len(counts)))
        if _telling(counts, ranks, accumulate, rows):
            return tuple(counts)
    raise PlanError("no uneven counts found for so many ranks and microbatches; give --rows yourself")
