"""When each item is due again: answers read as reviews, reviews replayed through FSRS.

Nothing is stored beside the answers themselves: the same answers give the same dates on every machine, and a bank that is edited
keeps the history of its items, by their ids. Not here: what is asked in which order (``quizapp.practice.queue``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from fsrs import Card, Rating, Scheduler, State

if TYPE_CHECKING:
    from quizapp.bank.load import LoadedItem
    from quizapp.store.record import Mark

REPEAT = timedelta(minutes=5)
"""An answer to the same question in the same sitting, sooner than this after the last one, is given with the explanation in view:
it tells nothing about memory."""
AHEAD = timedelta(hours=8)
"""What is due within this time counts as due, so that the hour of the day at which somebody studies doesn't matter."""
HARD, LAPSE = 1.0, 0.5
"""Shares of the points: below the first an answer was hard, below the second the item is as good as forgotten."""
TRIES = 3
"""Submissions to a passing program beyond which a lab was hard."""
SCHEDULER = Scheduler(
    learning_steps=(timedelta(minutes=10),),
    relearning_steps=(timedelta(minutes=10),),
    maximum_interval=365,
    enable_fuzzing=False,
)
"""One short step, since an item takes minutes and not seconds; no fuzz, so that dates follow from the answers alone."""


@dataclass(frozen=True, slots=True)
class Review:
    """One time that an item was asked: its parts' first answers; of a lab, all submissions of a sitting."""

    at: datetime
    """Of the last answer that counts."""
    points: int
    max_points: int
    confidence: int | None
    """The lowest of its answers."""
    tries: int
    """Submissions of code; 1 for all else."""
    unsure: bool
    """The scorer could not tell of some answer."""

    @property
    def share(self) -> float:
        """What it earned of its points, 0 to 1."""
        return self.points / self.max_points if self.max_points else 0.0

    @property
    def rating(self) -> Rating:
        """FSRS's grade for it. An answer that no scorer could tell is no lapse."""
        if self.share < LAPSE:
            return Rating.Hard if self.unsure else Rating.Again
        if self.share < HARD or self.tries > TRIES or (self.confidence or 3) <= 2:
            return Rating.Hard
        return Rating.Easy if self.confidence == 5 else Rating.Good


@dataclass(frozen=True, slots=True)
class Memory:
    """Where one item stands: all its reviews, and FSRS's card after the last of them."""

    item: str
    reviews: tuple[Review, ...]
    due: datetime
    stability: float
    """Days until the chance to recall it has fallen to 90 %."""
    learning: bool
    """Its next date is minutes away, not days."""
    done: bool
    """A lab that passed: the program is kept, so to ask for it again would tell nothing."""

    @property
    def last(self) -> Review:
        return self.reviews[-1]

    def recall(self, now: datetime) -> float:
        """The chance, 0 to 1, that it would be recalled now (FSRS's forgetting curve)."""
        card = Card(1, State.Review, None, self.stability, 5.0, self.due, self.last.at)
        return SCHEDULER.get_card_retrievability(card, now.astimezone(UTC))

    def is_due(self, now: datetime) -> bool:
        """Whether it should be asked now."""
        return not self.done and self.due <= (now if self.learning else now + AHEAD)


def _round(marks: list[Mark], code: bool) -> Review:
    earned, possible, unsure = 0, 0, False
    by_part: dict[str, list[Mark]] = {}
    for mark in marks:
        by_part.setdefault(mark.part, []).append(mark)
    for answers in by_part.values():
        counted = max(answers, key=lambda mark: mark.share) if code else answers[0]
        earned, possible = earned + counted.points, possible + counted.max_points
        unsure |= counted.outcome == "unsure"
    rated = [mark.confidence for mark in marks if mark.confidence is not None]
    tries = max(len(answers) for answers in by_part.values()) if code else 1
    return Review(marks[-1].at, earned, possible, min(rated, default=None), tries, unsure)


def reviews(marks: Iterable[Mark], code: bool = False) -> tuple[Review, ...]:
    """One item's reviews from its answers, oldest first. Slips don't count, nor do follow-ups of an interview.

    ``code``: the item is a lab, whose submissions in one sitting are one review.
    """
    rounds: list[list[Mark]] = []
    seen: dict[tuple[object, ...], datetime] = {}
    for mark in marks:
        if mark.withdrawn or "/" in mark.part:
            continue
        now = rounds[-1] if rounds else []
        same = bool(now) and now[-1].session == mark.session and mark.session is not None and (code or now[-1].seed == mark.seed)
        place = (mark.session, mark.part, None if code else mark.seed)
        last = seen.get(place)
        seen[place] = mark.at
        if same and (code or all(one.part != mark.part for one in now)):
            now.append(mark)
        elif last is None or mark.session is None or mark.at - last >= REPEAT:
            rounds.append([mark])
    return tuple(_round(one, code) for one in rounds)


def memory(item: str, found: tuple[Review, ...], code: bool = False) -> Memory:
    """FSRS's card after an item's reviews (at least one)."""
    card = Card(1, due=found[0].at.astimezone(UTC))
    for review in found:
        card, _ = SCHEDULER.review_card(card, review.rating, review.at.astimezone(UTC))
    done = code and found[-1].points == found[-1].max_points
    return Memory(item, found, card.due, card.stability or 0.0, card.state is not State.Review, done)


def is_lab(loaded: LoadedItem) -> bool:
    """True for an item with a part that the judge runs."""
    return any(part.kind == "code" for part in loaded.item.parts)


def memories(items: Mapping[str, LoadedItem], marks: Iterable[Mark]) -> dict[str, Memory]:
    """Item -> where it stands, for the items that have been answered (``marks``: oldest first)."""
    by_item: dict[str, list[Mark]] = {}
    for mark in marks:
        if mark.item in items:
            by_item.setdefault(mark.item, []).append(mark)
    found = {}
    for item, answers in by_item.items():
        code = is_lab(items[item])
        if rounds := reviews(answers, code):
            found[item] = memory(item, rounds, code)
    return found
