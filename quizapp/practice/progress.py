"""Points by item and bank. Pure functions over answers; slips count for nothing. What else there is to know: ``insight``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from quizapp.store.record import Mark

if TYPE_CHECKING:
    from quizapp.bank.load import Library, LoadedBank
    from quizapp.model.question import Item


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
        """``new``, ``right`` (all points), ``partial`` (some) or ``wrong`` (answered, no points so far)."""
        if not self.answered:
            return "new"
        if self.points == self.max_points:
            return "right"
        return "partial" if self.points else "wrong"


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


def _in_present_points(attempt: Mark, max_points: int) -> int:
    """An edited bank may have changed a part's points; a share of the old ones counts for as much, rounded down."""
    return attempt.points * max_points // attempt.max_points if attempt.max_points else 0


def bank_progress(bank: LoadedBank, attempts: Iterable[Mark]) -> BankProgress:
    """A bank's progress from answers (oldest first); those to items or parts that it doesn't have are passed over.

    An item is known by its id alone, so that its history goes with it to another bank.
    """
    return BankProgress(bank.bank.id, items_progress(bank.bank.items, attempts))


def _item(item: Item, by_part: Mapping[tuple[str, str], Sequence[Mark]]) -> ItemProgress:
    parts = []
    for part in item.parts:
        found = by_part.get((item.id, part.id), ())
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
    return ItemProgress(item.id, item.title or item.id, tuple(parts))


def items_progress(items: Iterable[Item], attempts: Iterable[Mark]) -> tuple[ItemProgress, ...]:
    """The progress of some items, of whatever banks, from answers (oldest first)."""
    by_part: dict[tuple[str, str], list[Mark]] = {}
    for attempt in attempts:
        if not attempt.withdrawn:
            by_part.setdefault((attempt.item, attempt.part), []).append(attempt)
    return tuple(_item(item, by_part) for item in items)


def library_progress(library: Library, attempts: Sequence[Mark]) -> dict[str, BankProgress]:
    """Bank id -> its progress."""
    homes = {item.id: bank.bank.id for bank in library.banks for item in bank.bank.items}
    by_bank: dict[str, list[Mark]] = {}
    for attempt in attempts:
        if (home := homes.get(attempt.item)) is not None:
            by_bank.setdefault(home, []).append(attempt)
    return {bank.bank.id: bank_progress(bank, by_bank.get(bank.bank.id, ())) for bank in library.banks}
