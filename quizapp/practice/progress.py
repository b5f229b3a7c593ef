"""How it is going: points by item and bank, and how well confidence foretells the outcome. Pure functions over attempts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from quizapp.store.record import Attempt

if TYPE_CHECKING:
    from quizapp.bank.load import Library, LoadedBank


@dataclass(frozen=True, slots=True)
class PartProgress:
    """One part of one item."""

    part: str
    max_points: int
    best: int
    """Points of the best answer so far, in the part's present points."""
    latest: int
    answers: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """One item over its parts."""

    item: str
    title: str
    parts: tuple[PartProgress, ...]

    @property
    def points(self) -> int:
        return sum(part.best for part in self.parts)

    @property
    def max_points(self) -> int:
        return sum(part.max_points for part in self.parts)

    @property
    def answered(self) -> int:
        """Parts that have been answered at least once."""
        return sum(1 for part in self.parts if part.answers)

    @property
    def state(self) -> str:
        """``new``, ``right`` (all points), ``partial`` (some, or not all parts answered) or ``wrong`` (answered, no points)."""
        if not self.answered:
            return "new"
        if self.points == self.max_points:
            return "right"
        return "wrong" if self.points == 0 and self.answered == len(self.parts) else "partial"


@dataclass(frozen=True, slots=True)
class BankProgress:
    """One bank over its items."""

    bank: str
    items: tuple[ItemProgress, ...]

    @property
    def points(self) -> int:
        return sum(item.points for item in self.items)

    @property
    def max_points(self) -> int:
        return sum(item.max_points for item in self.items)

    @property
    def answered(self) -> int:
        """Items of which at least one part has been answered."""
        return sum(1 for item in self.items if item.answered)

    @property
    def last_at(self) -> datetime | None:
        moments = [part.last_at for item in self.items for part in item.parts if part.last_at is not None]
        return max(moments, default=None)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What one level of confidence was worth."""

    confidence: int
    answers: int
    earned: float
    """Mean share of the points, 0 to 1."""


def _in_present_points(attempt: Attempt, max_points: int) -> int:
    """An edited bank may have changed a part's points; a share of the old ones counts for as much, rounded down."""
    return attempt.points * max_points // attempt.max_points if attempt.max_points else 0


def bank_progress(bank: LoadedBank, attempts: Iterable[Attempt]) -> BankProgress:
    """A bank's progress from its attempts (oldest first); those of items or parts that it no longer has are passed over."""
    by_part: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        if attempt.bank == bank.bank.id:
            by_part.setdefault((attempt.item, attempt.part), []).append(attempt)
    items = []
    for item in bank.bank.items:
        parts = []
        for part in item.parts:
            found = by_part.get((item.id, part.id), [])
            earned = [_in_present_points(attempt, part.points) for attempt in found]
            parts.append(
                PartProgress(
                    part=part.id,
                    max_points=part.points,
                    best=max(earned, default=0),
                    latest=earned[-1] if earned else 0,
                    answers=len(found),
                    last_at=found[-1].at if found else None,
                )
            )
        items.append(ItemProgress(item.id, item.title or item.id, tuple(parts)))
    return BankProgress(bank.bank.id, tuple(items))


def library_progress(library: Library, attempts: Sequence[Attempt]) -> dict[str, BankProgress]:
    """Bank id -> its progress."""
    return {bank.bank.id: bank_progress(bank, attempts) for bank in library.banks}


def calibration(attempts: Iterable[Attempt]) -> tuple[Calibration, ...]:
    """Confidence 1 to 5 against what was earned; levels never given are left out."""
    shares: dict[int, list[float]] = {}
    for attempt in attempts:
        if attempt.confidence is not None and attempt.max_points:
            shares.setdefault(attempt.confidence, []).append(attempt.points / attempt.max_points)
    return tuple(Calibration(level, len(found), sum(found) / len(found)) for level, found in sorted(shares.items()))
