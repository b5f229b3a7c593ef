"""How it is going, over all banks: mastery by topic, what falls due, calibration, misconceptions, time. Pure functions.

Slips count for nothing. Not here: points by item and bank (``quizapp.practice.progress``), and anything that draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Literal

from quizapp.practice.asked import title
from quizapp.practice.progress import library_progress
from quizapp.practice.queue import Knowledge

if TYPE_CHECKING:
    from quizapp.bank.load import Library, LoadedItem
    from quizapp.store.record import Mark

CLAIMED = (0.1, 0.3, 0.5, 0.7, 0.9)
"""What the confidences 1 to 5 claim: the middles of five equal parts of the way from 0 to 1."""
DAYS = 14
"""Days of the forecast, today among them."""


@dataclass(frozen=True, slots=True)
class TopicMastery:
    """One topic."""

    topic: str
    title: str
    items: int
    answered: int
    due: int
    mastery: float
    """0 to 1: over all its items, the chance to recall the item now times what its last answer earned; new items count 0."""


@dataclass(frozen=True, slots=True)
class DueDay:
    """What falls due on one day, in UTC; what is overdue counts on the first."""

    day: str
    """``YYYY-MM-DD``."""
    items: int


@dataclass(frozen=True, slots=True)
class Level:
    """What one confidence claimed, and what its answers earned."""

    confidence: int
    claimed: float
    answers: int
    earned: float
    """Mean share of the points, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Confidence against outcome, over all rated answers."""

    answers: int
    brier: float | None
    """Mean squared distance between what was claimed and the share earned; 0 is perfect. Brier 1950, with shares as outcomes."""
    baseline: float | None
    """The same, had every answer claimed the mean of what was earned: a useful feeling for one's knowledge lies below it."""
    levels: tuple[Level, ...]
    """Those that were given."""


@dataclass(frozen=True, slots=True)
class MetMisconception:
    """A misconception that the learner has shown."""

    id: str
    title: str
    times: int
    first_at: datetime
    last_at: datetime
    came_back: int
    """How often it was shown again after an answer that avoided it."""
    state: Literal["standing", "overcome"]
    """``standing``: the last answer that could show it did."""


@dataclass(frozen=True, slots=True)
class ItemTime:
    """Time per answer to one item, in seconds."""

    item: str
    title: str
    answers: int
    median: float
    longest: float


@dataclass(frozen=True, slots=True)
class BankPoints:
    """Points of one bank: the best answer to each part."""

    bank: str
    title: str
    points: int
    max_points: int
    items: int
    answered: int


@dataclass(frozen=True, slots=True)
class Insight:
    """All of it, at one moment."""

    at: datetime
    answers: int
    slips: int
    due: int
    new: int
    banks: tuple[BankPoints, ...]
    topics: tuple[TopicMastery, ...]
    forecast: tuple[DueDay, ...]
    calibration: Calibration
    misconceptions: tuple[MetMisconception, ...]
    times: tuple[ItemTime, ...]


def banks(library: Library, marks: Sequence[Mark]) -> tuple[BankPoints, ...]:
    """Points by bank, in the order of the library."""
    progress = library_progress(library, marks)
    rows = []
    for bank in library.banks:
        one = progress[bank.bank.id]
        rows.append(BankPoints(bank.bank.id, bank.bank.title, one.points, one.max_points, len(one.items), one.answered))
    return tuple(rows)


def topics(found: Knowledge) -> tuple[TopicMastery, ...]:
    """Mastery of each topic, weakest first among those begun; topics that nothing was answered of come last."""
    declared = found.library.topics
    by_topic: dict[str, list[str]] = {}
    for name in found.course:
        for topic in found.library.items[name].item.topics:
            by_topic.setdefault(topic, []).append(name)
    rows = []
    for topic, names in by_topic.items():
        known = [found.memory[name] for name in names if name in found.memory]
        earned = sum(one.last.share * (1.0 if one.done else one.recall(found.now)) for one in known)
        rows.append(
            TopicMastery(
                topic=topic,
                title=declared[topic].title if topic in declared else topic,
                items=len(names),
                answered=len(known),
                due=sum(1 for name in names if found.is_due(name)),
                mastery=earned / len(names),
            )
        )
    return tuple(sorted(rows, key=lambda row: (not row.answered, row.mastery, row.topic)))


def forecast(found: Knowledge, days: int = DAYS) -> tuple[DueDay, ...]:
    """Items that fall due on each of the coming days, if nothing is answered until then."""
    today = found.now.date()
    counts = [0] * days
    for one in found.memory.values():
        if not one.done:
            day = max(0, (one.due.date() - today).days)
            if day < days:
                counts[day] += 1
    return tuple(DueDay((today + timedelta(days=day)).isoformat(), items) for day, items in enumerate(counts))


def calibration(marks: Iterable[Mark]) -> Calibration:
    """Confidence against the share of the points earned, over all rated answers that were no slips."""
    rated = [(mark.confidence, mark.share) for mark in marks if mark.confidence and mark.max_points and not mark.withdrawn]
    if not rated:
        return Calibration(0, None, None, ())
    mean = sum(share for _, share in rated) / len(rated)
    by_level: dict[int, list[float]] = {}
    for confidence, share in rated:
        by_level.setdefault(confidence, []).append(share)
    return Calibration(
        answers=len(rated),
        brier=sum((CLAIMED[confidence - 1] - share) ** 2 for confidence, share in rated) / len(rated),
        baseline=sum((mean - share) ** 2 for _, share in rated) / len(rated),
        levels=tuple(
            Level(level, CLAIMED[level - 1], len(shares), sum(shares) / len(shares)) for level, shares in sorted(by_level.items())
        ),
    )


def possible(loaded: LoadedItem) -> frozenset[str]:
    """The misconceptions that an answer to the item can show, as the bank names them (a lab's are in its own folder)."""
    names: set[str | None] = set()
    for part in loaded.item.parts:
        match part.kind:
            case "choice":
                names |= {choice.misconception for choice in part.choices}
            case "numeric" | "symbolic":
                names |= {wrong.misconception for wrong in part.wrong}
            case "text":
                names |= {shown.id for shown in part.rubric.misconceptions}
    return frozenset(name for name in names if name is not None)


def misconceptions(library: Library, marks: Sequence[Mark], named: Mapping[int, Sequence[str]]) -> tuple[MetMisconception, ...]:
    """Every misconception shown (``named``: attempt's id -> ids), those still standing first.

    An answer to an item that can show it, or has shown it before, and that does not, avoids it.
    """
    live = [mark for mark in marks if not mark.withdrawn]
    can = {name: set(possible(loaded)) for name, loaded in library.items.items()}
    for mark in live:
        can.setdefault(mark.item, set()).update(named.get(mark.id, ()))
    events: dict[str, list[tuple[datetime, bool]]] = {}
    for mark in live:
        shown = set(named.get(mark.id, ()))
        for name in can[mark.item]:
            if name in shown or (mark.share == 1 and name in events):
                events.setdefault(name, []).append((mark.at, name in shown))
    found = []
    for name, history in events.items():
        moments = [at for at, was_shown in history if was_shown]
        back = sum(1 for (_, before), (_, after) in pairwise(history) if after and not before)
        state: Literal["standing", "overcome"] = "standing" if history[-1][1] else "overcome"
        known = library.registry.get(name)
        found.append(MetMisconception(name, known.title if known else name, len(moments), moments[0], moments[-1], back, state))
    return tuple(sorted(found, key=lambda one: (one.state != "standing", -one.times, one.id)))


def times(library: Library, marks: Iterable[Mark]) -> tuple[ItemTime, ...]:
    """Time per answer, the slowest items first."""
    by_item: dict[str, list[float]] = {}
    for mark in marks:
        if mark.seconds is not None and not mark.withdrawn:
            by_item.setdefault(mark.item, []).append(mark.seconds)
    rows = [
        ItemTime(name, title(library.items[name]) if name in library.items else name, len(took), median(took), max(took))
        for name, took in by_item.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.median, row.item)))


def insight(found: Knowledge, marks: Sequence[Mark], named: Mapping[int, Sequence[str]]) -> Insight:
    """All of it (``marks``: all answers, oldest first; ``named``: the misconceptions that they showed)."""
    return Insight(
        at=found.now,
        answers=sum(1 for mark in marks if not mark.withdrawn),
        slips=sum(1 for mark in marks if mark.withdrawn),
        due=sum(1 for name in found.memory if found.is_due(name)),
        new=sum(1 for name in found.course if name not in found.memory),
        banks=banks(found.library, marks),
        topics=topics(found),
        forecast=forecast(found),
        calibration=calibration(marks),
        misconceptions=misconceptions(found.library, marks, named),
        times=times(found.library, marks),
    )
