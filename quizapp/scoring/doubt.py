"""What makes a claim doubtful that the words are there for: a denial in the same breath which the rubric doesn't account for.

Here: the sentences in which a claim is asked about rather than credited. Denials that say the opposite of a criterion are
``quizapp.scoring.denial``; which claim is taken is ``quizapp.scoring.claims``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quizapp.scoring.clauses import Clause, harmful, mostly_denies
from quizapp.scoring.denial import agrees, contrasted, refutes
from quizapp.scoring.lexical import ReadyCriterion, ReadyRubric, best_phrase
from quizapp.scoring.support import opposed


@dataclass(frozen=True, slots=True)
class Doubts:
    """Numbers of the sentences in which what supports a criterion may not be meant."""

    always: frozenset[int]
    unless_negated: frozenset[int]
    """Only where the phrase that the words are nearest to denies nothing itself."""


def doubts(known: ReadyCriterion, clauses: Sequence[Clause], rubric: ReadyRubric) -> Doubts:
    """The sentences in which something is denied that no phrase of the rubric accounts for.

    A reader can't tell then whether a claim in the sentence still holds: one who writes *the sum is not divided* and then explains
    the division has said two things.
    """
    always = {clause.sentence for at, clause in enumerate(clauses) if _contrary(known, at, clauses, rubric)}
    soft = {clause.sentence for at, clause in enumerate(clauses) if _unaccounted(known, at, clauses, rubric)}
    return Doubts(frozenset(always), frozenset(soft) | mostly_denies(clauses))


def _asks_for_it(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """``if the ranks do not agree, they drift apart`` asks for agreement."""
    return clause.conditional and any(harmful(other) for other in clauses if other.sentence == clause.sentence)


def _contrary(known: ReadyCriterion, at: int, clauses: Sequence[Clause], rubric: ReadyRubric) -> bool:
    """Whether a clause turns the criterion's *same* or *differ* round, or says that something has no effect."""
    clause = clauses[at]
    if _asks_for_it(clause, clauses):
        return False
    said = best_phrase(known.accept, clause.words, known.stand_ins).strength
    if any(word.turned for word in clause.words) and opposed(known, clause.words, said):
        return True
    explained = any(agrees(other, clause.words, clause.words, True) for other in rubric.criteria)
    return clause.no_effect and not explained and not contrasted(known, clauses, at)


def _unaccounted(known: ReadyCriterion, at: int, clauses: Sequence[Clause], rubric: ReadyRubric) -> bool:
    """Whether a clause denies what the rubric doesn't deny; aside, only what the criterion speaks of counts."""
    clause = clauses[at]
    denied, aside = clause.doubted, clause.doubted_aside
    if clause.conditional:
        denied, aside = (), (*denied, *aside)
    denied = (*denied, *(word for word in aside if word.key in known.terms - rubric.question))
    if (
        not denied
        or _asks_for_it(clause, clauses)
        or contrasted(known, clauses, at)
        or refutes(clause, rubric.misconceptions, known)
    ):
        return False
    return not any(agrees(other, clause.words, denied, False) for other in rubric.criteria)
