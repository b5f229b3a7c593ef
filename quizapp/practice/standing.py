"""What an answer stands at: its automatic score, as last regraded, with the instructor's rulings over it; and what waits for one.

Here: which word is the last, and the answers as they stand by it. Rows are ``quizapp.store.opinion``. Stores and draws nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quizapp.store.opinion import Dispute, Regrade, Ruling, disputes, regrades, rulings
from quizapp.store.record import Attempt, Mark
from quizapp.store.store import Store

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.model.rubric import Rubric
    from quizapp.model.score import CriterionScore, Score


def ruled(score: Score, rulings_of: Mapping[str, Ruling], rubric: Rubric | None) -> Score:
    """A score with an instructor's word on some criteria, the note as the reason; the rule is ``quizapp.model.ruling``'s."""
    from quizapp.model.ruling import Word, overruled

    return overruled(score, {id: Word(one.met, _reason(one)) for id, one in rulings_of.items()}, rubric)


def _reason(ruling: Ruling) -> str:
    return f"{ruling.author} says: {ruling.note}" if ruling.note else f"{ruling.author} has looked at it."


def rubric_of(library: Library, item: str, part: str) -> Rubric | None:
    """What a stored answer is scored by, slots not filled in; ``part``: as stored, so that it may name a follow-up.

    ``None`` where it isn't scored by a rubric, or the banks have none for it any more.
    """
    parts = library.items[item].item.parts if item in library.items else ()
    name, _, follow = part.partition("/")
    for one in parts:
        if one.kind == "text" and one.id == name:
            return _of_follow_up(library, item, follow) if follow else one.rubric
    return None


def _of_follow_up(library: Library, item: str, follow: str) -> Rubric | None:
    from quizapp.practice.interview_follow_up import find_follow_up

    probe = library.items[item].item
    try:
        return find_follow_up(probe.rubric, probe.follow_ups, follow).rubric if probe.kind == "probe" else None
    except KeyError:
        return None


@dataclass(frozen=True, slots=True)
class Opinions:
    """All that stands beside the attempts."""

    disputes: Mapping[tuple[int, str], Dispute]
    """The last one on each criterion of each attempt."""
    rulings: Mapping[tuple[int, str], Ruling]
    regrades: Mapping[int, Regrade]

    @classmethod
    def of(cls, store: Store) -> Opinions:
        """Read from the learner's file."""
        found = {(dispute.attempt, dispute.criterion): dispute for dispute in disputes(store)}
        return cls(found, rulings(store), regrades(store))

    def automatic(self, attempt: Attempt) -> Score | None:
        """The score that the scorer gave last; ``None`` for code, and for what this version can't read."""
        regrade = self.regrades.get(attempt.id)
        if regrade is None or not regrade.score_json:
            return attempt.score()
        from quizapp.model.score import Score

        try:
            return Score.model_validate_json(regrade.score_json)
        except ValueError:
            return attempt.score()

    def graded_by(self, attempt: Attempt) -> tuple[str, str]:
        """The item's hash and the scorer of the automatic score."""
        regrade = self.regrades.get(attempt.id)
        return (attempt.item_hash, attempt.scorer) if regrade is None else (regrade.item_hash, regrade.scorer)

    def standing(self, attempt: Attempt, rubric: Rubric | None = None) -> Score | None:
        """What the answer stands at, people's words over the scorer's. ``rubric``: of a written answer (``rubric_of``);
        without it a misconception goes only once all that is asked is met."""
        score = self.automatic(attempt)
        if score is None:
            return None
        return ruled(score, {criterion: ruling for (at, criterion), ruling in self.rulings.items() if at == attempt.id}, rubric)


def as_they_stand(store: Store, library: Library | None = None) -> tuple[list[Mark], dict[int, tuple[str, ...]]]:
    """All answers without their words, oldest first, with the points that hold now; and the misconceptions that each shows.

    ``library``: its rubrics tell which misconceptions a ruling takes away; the points don't need it.
    """
    found, named = store.marks(), store.named()
    opinions = Opinions.of(store)
    regraded = (attempt for attempt, regrade in opinions.regrades.items() if regrade.score_json)
    touched = {*regraded, *(attempt for attempt, _ in opinions.rulings)}
    if not touched:
        return found, named
    scores = {
        one.id: opinions.standing(one, None if library is None else rubric_of(library, one.item, one.part))
        for one in store.attempts()
        if one.id in touched
    }
    marks = []
    for mark in found:
        score = scores.get(mark.id)
        if score is not None:
            mark = replace(mark, points=score.points, max_points=score.max_points, outcome=score.outcome)
            named[mark.id] = () if score.outcome == "right" else score.misconceptions
        marks.append(mark)
    return marks, {attempt: ids for attempt, ids in named.items() if ids}


def denied_by(rubric: Rubric, disputed: Collection[str]) -> frozenset[str]:
    """Misconceptions that cancel a criterion of which the learner says *I did say that*: who said it can't have meant them."""
    return frozenset(one.id for one in rubric.misconceptions if not set(one.cancels).isdisjoint(disputed))


def denied(library: Library, marks: Sequence[Mark], named: Mapping[int, Sequence[str]], opinions: Opinions) -> frozenset[str]:
    """Misconceptions that an answer shows (``named``: attempt's id -> ids) and its learner denies, as long as nobody has ruled."""
    places = {mark.id: (mark.item, mark.part) for mark in marks}
    found: set[str] = set()
    for attempt, criterion in opinions.disputes.keys() - opinions.rulings.keys():
        item, part = places.get(attempt, ("", ""))
        rubric = rubric_of(library, item, part)
        if rubric is not None:
            found |= denied_by(rubric, {criterion}) & set(named.get(attempt, ()))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Waiting:
    """One criterion of one answer that a person should look at."""

    attempt: Attempt
    criterion: CriterionScore
    dispute: Dispute | None
    """The learner's *I did say that*; ``None`` where the scorer is unsure by itself."""


def queue(attempts: Sequence[Attempt], opinions: Opinions) -> list[Waiting]:
    """What waits for a ruling: disputed criteria first, then unsure ones; the oldest first. Those ruled on are out."""
    found = []
    for attempt in attempts:
        if attempt.score_json is None or attempt.withdrawn:
            continue
        score = opinions.automatic(attempt)
        for criterion in score.criteria if score is not None else ():
            key = (attempt.id, criterion.id)
            dispute = opinions.disputes.get(key)
            if key not in opinions.rulings and (criterion.met == "unsure" or dispute is not None):
                found.append(Waiting(attempt, criterion, dispute))
    return sorted(found, key=lambda waiting: (waiting.dispute is None, waiting.attempt.id))
