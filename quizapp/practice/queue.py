"""What is asked in one sitting: what is due, mixed with new items in an order in which each stands after what it needs.

Pure functions of the banks, the answers, a plan, a seed and the present moment: the same ones give the same queue. Not here: when
an item is due (``quizapp.practice.schedule``), the order of new items (``quizapp.practice.order``), moving through a sitting.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from quizapp.practice.order import course, needs
from quizapp.practice.schedule import Memory, is_lab, memories

if TYPE_CHECKING:
    from quizapp.bank.load import Library, LoadedItem
    from quizapp.store.record import Mark

Selection = Literal["mixed", "due", "wrong", "new", "flagged"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)
REVIEWS_PER_NEW = 2
"""In a mixed sitting a new item comes after so many due ones."""
LENGTH = 20
"""Items of a sitting, where nothing else is said."""
LONGEST = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sitting is made of. Empty collections don't narrow anything."""

    selection: Selection = "mixed"
    """``mixed``: due, and new ones between; ``due``; ``wrong``: not fully right the last time; ``new``; ``flagged``."""
    banks: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    difficulties: tuple[int, ...] = ()
    labs: bool = True
    """With items that the judge runs."""
    length: int = LENGTH
    """At most so many items."""

    def holds(self, loaded: LoadedItem) -> bool:
        """Whether the plan lets this item in, whatever the learner knows of it."""
        item = loaded.item
        return (
            (not self.banks or loaded.bank_id in self.banks)
            and (not self.topics or not set(self.topics).isdisjoint(item.topics))
            and (not self.difficulties or item.difficulty in self.difficulties)
            and (self.labs or not is_lab(loaded))
        )

    def stored(self) -> dict[str, object]:
        """As a session keeps it."""
        return asdict(self)


def plan_from(value: object) -> Plan:
    """A plan as :meth:`Plan.stored` wrote it; what can't be read falls back to its default."""
    given = value if isinstance(value, Mapping) else {}

    def texts(name: str) -> tuple[str, ...]:
        found = given.get(name)
        return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list | tuple) else ()

    levels, length = given.get("difficulties"), given.get("length")
    return Plan(
        selection=next((one for one in SELECTIONS if one == given.get("selection")), "mixed"),
        banks=texts("banks"),
        topics=texts("topics"),
        difficulties=tuple(one for one in levels if isinstance(one, int)) if isinstance(levels, list | tuple) else (),
        labs=given.get("labs") is not False,
        length=length if isinstance(length, int) and length > 0 else LENGTH,
    )


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the learner knows of a library, at one moment."""

    library: Library
    now: datetime
    memory: Mapping[str, Memory]
    """Items that have been answered."""
    course: Sequence[str]
    """All items, each after what it needs."""
    flagged: Collection[str] = ()
    recommended: Sequence[str] = ()
    """Items that something asked for (an interview's debrief), first asked first."""

    def is_due(self, item: str) -> bool:
        """Whether an answered item should be asked again now."""
        return item in self.memory and self.memory[item].is_due(self.now)

    def is_wrong(self, item: str) -> bool:
        """Whether an answered item was not fully right the last time."""
        return item in self.memory and self.memory[item].last.share < 1


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items are due, new, and not right the last time."""

    due: int
    new: int
    wrong: int
    all: int


def knowledge(
    library: Library, marks: Sequence[Mark], now: datetime, flagged: Collection[str] = (), recommended: Sequence[str] = ()
) -> Knowledge:
    """Where the learner stands (``marks``: all answers, oldest first)."""
    return Knowledge(library, now, memories(library.items, marks), course(library), flagged, recommended)


def count(found: Knowledge, items: Collection[str]) -> Counts:
    """Counts over some items."""
    return Counts(
        due=sum(1 for item in items if found.is_due(item)),
        new=sum(1 for item in items if item not in found.memory),
        wrong=sum(1 for item in items if found.is_wrong(item)),
        all=len(items),
    )


def chance(seed: int, *what: object) -> int:
    """A number that follows from the seed and the names alone, the same on every machine and in every version of Python."""
    return int.from_bytes(hashlib.sha256(repr((seed, *what)).encode()).digest()[:6], "big")


def other_numbers(item: str, *what: object) -> int:
    """The seed of other numbers for an item that was answered before."""
    return chance(0, item, *what) % 1_000_000


def candidates(plan: Plan, found: Knowledge) -> list[str]:
    """The items of a plan, in the order of the course."""
    chosen: Mapping[Selection, Collection[str] | None] = {
        "mixed": None,
        "due": [item for item in found.memory if found.is_due(item)],
        "wrong": [item for item in found.memory if found.is_wrong(item)],
        "new": [item for item in found.course if item not in found.memory],
        "flagged": found.flagged,
    }
    among = chosen[plan.selection]
    kept = None if among is None else set(among)
    asked = set(found.recommended)
    return [
        item
        for item in found.course
        if (kept is None or item in kept)
        and plan.holds(found.library.items[item])
        and (plan.selection != "mixed" or item not in found.memory or found.is_due(item) or item in asked)
    ]


def _most_urgent(items: Sequence[str], found: Knowledge, seed: int) -> list[str]:
    """Answered items: what was asked for, then what is least likely to be recalled; equals in an order drawn from the seed."""
    asked = {item: place for place, item in enumerate(found.recommended)}

    def urgency(item: str) -> tuple[float, float, int]:
        return asked.get(item, len(asked)), found.memory[item].recall(found.now), chance(seed, item)

    return sorted(items, key=urgency)


def _mixed(due: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """One new item after every two due ones, while there are both."""
    fresh = iter(new)
    for place, item in enumerate(due, 1):
        yield item
        if place % REVIEWS_PER_NEW == 0 and (following := next(fresh, None)) is not None:
            yield following
    yield from fresh


def queue(plan: Plan, found: Knowledge, seed: int) -> tuple[str, ...]:
    """The items of a sitting, at most ``plan.length``, none twice.

    An item that was never answered stands after those of its prerequisites that are in the queue; one that was answered comes
    by urgency.
    """
    items = candidates(plan, found)
    known = [item for item in items if item in found.memory]
    new = [item for item in items if item not in found.memory]
    asked = set(found.recommended)
    if asked:
        # What was asked for comes first, and whatever it needs before it: the order of the course stays.
        first = with_needs(asked, new, found)
        new = [item for item in new if item in first] + [item for item in new if item not in first]
    return tuple(_mixed(_most_urgent(known, found, seed), new))[: min(plan.length, LONGEST)]


def with_needs(wanted: Collection[str], among: Sequence[str], found: Knowledge) -> set[str]:
    """Those of some items that are wanted, and what they need of them."""
    new = set(among)
    before, left = needs(found.library), [item for item in wanted if item in new]
    kept: set[str] = set()
    while left:
        item = left.pop()
        if item not in kept:
            kept.add(item)
            left += [one for one in before.get(item, ()) if one in new]
    return kept
