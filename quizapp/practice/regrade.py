"""Scores stored answers anew by the present rubrics and scorer, and tells which scores change and by how much.

Attempts are never changed: a new score is a row beside the old one, and an instructor's rulings stay over both. No code runs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from quizapp.bank.draw import DrawError, draw
from quizapp.bank.load import Library
from quizapp.model.formula import FormulaError
from quizapp.model.question import CodePart, Probe
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.practice.asked import ask, grade, scorer, titles
from quizapp.practice.interview_follow_up import find_follow_up
from quizapp.practice.standing import Opinions
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.cores import on_cores
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
    """Stored answers that aren't code, nor a pass, nor what an interview hears without scoring it (its opening, a walk-through)."""
    current: int
    """Those whose score the present rubric and scorer gave."""
    gone: int
    """Those whose item, part or variant isn't there any more, or whose text is no answer to it now: their scores stay."""
    changes: tuple[Change, ...]
    settled: tuple[tuple[Attempt, str], ...]
    """Those that were scored again and came out alike, with the hash of the item."""


Key = tuple[str, str, int | None, str]
"""Item, part, seed and text: what a score depends on, beside the banks and the scorer."""
Told = Callable[[int, int], None]
"""Is told how many answers have been scored, and of how many."""
PORTION = 50
MANY = 4
"""Portions from which on it pays to start processes."""


def _key(attempt: Attempt) -> Key:
    return attempt.item, attempt.part, attempt.seed, attempt.text


class Grader:
    """Scores answers by the present banks."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._titles = titles(library)

    def scores(self, attempts: Sequence[Attempt]) -> list[Score | None]:
        """The scores that they would get now; ``None`` where one can't be scored any more."""
        return [self._score_or_none(attempt) for attempt in attempts]

    def _score_or_none(self, attempt: Attempt) -> Score | None:
        try:
            return self._score(attempt)
        except (KeyError, AnswerError, DrawError, FormulaError):
            return None

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


def _scored(library: Library, due: Sequence[Attempt], workers: int, told: Told) -> Mapping[Key, Score | None]:
    """The score of each different answer, equal ones being scored once, on as many cores as there are."""
    answers = list({_key(attempt): attempt for attempt in due}.values())
    answers.sort(key=lambda attempt: attempt.item)  # stable: what is known of a rubric serves the next answer to it
    portions = [answers[at : at + PORTION] for at in range(0, len(answers), PORTION)]
    grader = Grader(library)
    scores: dict[Key, Score | None] = {}
    found = on_cores(lambda number: grader.scores(portions[number]), len(portions), workers=workers, fewest=MANY)
    for portion, given in zip(portions, found, strict=True):
        scores.update((_key(attempt), score) for attempt, score in zip(portion, given, strict=True))
        told(len(scores), len(answers))
    return scores


def _silent(done: int, of: int) -> None:
    pass


def changes(
    library: Library, attempts: Sequence[Attempt], opinions: Opinions, *, workers: int = os.cpu_count() or 1, told: Told = _silent
) -> Regraded:
    """Scores stored answers anew, where the item or the scorer is another one than then; stores nothing."""
    by, gone, due = scorer(), 0, []
    graded = [one for one in attempts if one.score_json is not None and one.max_points and one.text.strip()]
    current = 0
    for attempt in graded:
        loaded = library.items.get(attempt.item)
        if loaded is None:
            gone += 1
        elif opinions.graded_by(attempt) == (loaded.hash, by):
            current += 1
        else:
            due.append((attempt, loaded))
    scores = _scored(library, [attempt for attempt, _ in due], workers, told)
    ruled = Counter(attempt for attempt, _ in opinions.rulings)
    found, settled = [], []
    for attempt, loaded in due:
        before, after = opinions.automatic(attempt), scores[_key(attempt)]
        if before is None or after is None:
            gone += 1
        elif _differs(before, after):
            found.append(Change(attempt, before, after, loaded.hash, ruled[attempt.id]))
        else:
            settled.append((attempt, loaded.hash))
    return Regraded(len(graded), current, gone, tuple(found), tuple(settled))


def _differs(before: Score, after: Score) -> bool:
    def told(score: Score) -> Iterator[tuple[str, str, int]]:
        return ((criterion.id, criterion.met, criterion.max_points) for criterion in score.criteria)

    return sorted(told(before)) != sorted(told(after)) or set(before.misconceptions) != set(after.misconceptions)


def keep(store: Store, found: Regraded) -> None:
    """Stores the new scores beside the old ones, and which scores the present rubric and scorer would give again.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be written.
    """
    by = scorer()
    changed = ((change.attempt.id, change.item_hash, by, change.after) for change in found.changes)
    regrade(store, (*changed, *((attempt.id, item_hash, by, None) for attempt, item_hash in found.settled)))
