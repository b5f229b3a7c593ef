"""Scores stored answers anew by the present rubrics and scorer, and tells which scores change and by how much.

Attempts are never changed: a new score is a row beside the old one, and an instructor's rulings stay over both. No code runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quizapp.bank.draw import DrawError, draw
from quizapp.bank.load import Library, LoadedItem
from quizapp.model.formula import FormulaError
from quizapp.model.question import CodePart, Probe
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.practice.asked import ask, grade, scorer, titles
from quizapp.practice.interview_follow_up import find_follow_up
from quizapp.practice.standing import Opinions
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.score import filled_rubric
from quizapp.scoring.text import score_text
from quizapp.store.opinion import regrade
from quizapp.store.record import Attempt
from quizapp.store.store import Store


@dataclass(frozen=True, slots=True)
class Change:
    """A stored score that the present rubric or scorer would change."""

    attempt: Attempt
    before: Score
    after: Score
    item_hash: str
    """Of the item by which ``after`` was scored."""
    held: int
    """Criteria on which an instructor has ruled: those stay as they were ruled."""

    @property
    def criteria(self) -> tuple[str, ...]:
        """Ids of the criteria that come out otherwise."""
        old = {criterion.id: criterion.met for criterion in self.before.criteria}
        new = {criterion.id: criterion.met for criterion in self.after.criteria}
        return tuple(sorted(id for id in old.keys() | new.keys() if old.get(id) != new.get(id)))


@dataclass(frozen=True, slots=True)
class Regraded:
    """What a regrade found."""

    looked_at: int
    """Stored answers that aren't code."""
    current: int
    """Those whose score the present rubric and scorer gave."""
    gone: int
    """Those whose item, part or variant isn't there any more, or whose text is no answer to it now: their scores stay."""
    changes: tuple[Change, ...]


class Grader:
    """Scores an attempt by the present banks; remembers what it has scored."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._titles = titles(library)
        self._known: dict[tuple[str, str, int | None, str], Score | None] = {}

    def item(self, attempt: Attempt) -> LoadedItem | None:
        """The item that was answered, as it is now."""
        return self._library.items.get(attempt.item)

    def score(self, attempt: Attempt) -> Score | None:
        """The score that it would get now; ``None`` where it can't be scored any more."""
        key = (attempt.item, attempt.part, attempt.seed, attempt.text)
        if key not in self._known:
            try:
                self._known[key] = self._score(attempt)
            except (KeyError, AnswerError, DrawError, FormulaError):
                self._known[key] = None
        return self._known[key]

    def _score(self, attempt: Attempt) -> Score | None:
        loaded = self._library.items[attempt.item]
        part, _, follow = attempt.part.partition("/")
        if follow and isinstance(loaded.item, Probe):
            values = draw(loaded.item, attempt.seed).values
            question = find_follow_up(loaded.item.rubric, loaded.item.follow_ups, follow)
            rubric = filled_rubric(question.rubric, values)
            return score_text(rubric, fill(question.stem or loaded.item.stem, values), attempt.text, self._titles)
        asked = ask(loaded, part, attempt.seed)
        return None if isinstance(asked.part, CodePart) else grade(asked, attempt.text, self._titles)


def changes(library: Library, attempts: Sequence[Attempt], opinions: Opinions) -> Regraded:
    """Scores stored answers anew, where the item or the scorer is another one than then; stores nothing."""
    grader, by = Grader(library), scorer()
    looked_at = current = gone = 0
    found = []
    for attempt in attempts:
        if attempt.score_json is None:
            continue
        looked_at += 1
        loaded = grader.item(attempt)
        if loaded is None:
            gone += 1
            continue
        if opinions.graded_by(attempt) == (loaded.hash, by):
            current += 1
            continue
        before, after = opinions.automatic(attempt), grader.score(attempt)
        if before is None or after is None:
            gone += 1
        elif _differs(before, after):
            held = sum(at == attempt.id for at, _ in opinions.rulings)
            found.append(Change(attempt, before, after, loaded.hash, held))
    return Regraded(looked_at, current, gone, tuple(found))


def _differs(before: Score, after: Score) -> bool:
    def told(score: Score) -> Iterator[tuple[str, str, int]]:
        return ((criterion.id, criterion.met, criterion.max_points) for criterion in score.criteria)

    return sorted(told(before)) != sorted(told(after)) or set(before.misconceptions) != set(after.misconceptions)


def keep(store: Store, found: Regraded) -> None:
    """Stores the new scores beside the old ones.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be written.
    """
    by = scorer()
    regrade(store, ((change.attempt.id, change.item_hash, by, change.after) for change in found.changes))
