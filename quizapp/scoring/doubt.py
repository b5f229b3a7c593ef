"""What makes a claim doubtful that the words are there for: a denial in the same breath which the rubric doesn't account for.

Here: the sentences in which a claim is asked about rather than credited. Denials that say the opposite of a criterion are
``quizapp.scoring.denial``; which claim is taken is ``quizapp.scoring.claims``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from quizapp.scoring.clauses import Clause, harmful, mostly_denies
from quizapp.scoring.denial import agrees, contrasted, is_purpose, refutes
from quizapp.scoring.lexical import Phrase, ReadyCriterion, ReadyRubric, best_phrase
from quizapp.scoring.lexicon import APPROVING, CONTRASTING_AGAIN, DISMISSES, DISTANCED, OPPOSITE, RETRACTS, VERDICT
from quizapp.scoring.support import opposed

_RETRACTS, _DISMISSES = re.compile(RETRACTS), re.compile(DISMISSES)
_VERDICT = re.compile(VERDICT)
_ASKS = frozenset({"how", "whether", "what", "which", "where", "that"})
NEAR = 1
"""Sentences back that a change of mind reaches, whatever it speaks of; further back, only what it names again."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause that denies something, and how far that reaches."""

    at: int
    sentence: int
    breath: int
    carries: bool
    """It reaches over a colon."""
    firm: bool
    """It holds whatever a claim is made of."""
    denied: frozenset[str]


def doubts(known: ReadyCriterion, clauses: tuple[Clause, ...], rubric: ReadyRubric) -> tuple[Doubt, ...]:
    """The clauses that deny something which no phrase of the rubric accounts for.

    A reader can't tell then whether a claim in the sentence still holds: one who writes *the sum is not divided* and then explains
    the division has said two things.
    """
    found: list[Doubt] = []
    denying = mostly_denies(clauses)
    for at, clause in enumerate(clauses):
        if at and is_purpose(clause):
            continue
        if _contrary(known, at, clauses, rubric) or (clause.verdict and not _calls_wrong(known, clause)):
            found.append(Doubt(at, clause.sentence, clause.breath, True, True, frozenset()))
        elif denied := _unaccounted(known, at, clauses, rubric):
            carries = bool(denied & known.terms) or clause.words[0].text == "what"
            found.append(Doubt(at, clause.sentence, clause.breath, carries, False, denied))
        elif clause.open_denial and clause.words[-1].text != "no" and _opens(clause, clauses[at + 1 : at + 2]):
            found.append(Doubt(at, clause.sentence, clause.breath, True, False, frozenset()))
        elif clause.sentence in denying:
            found.append(Doubt(-1, clause.sentence, clause.breath, False, False, frozenset()))
    return tuple(found)


def reaches(doubt: Doubt, first: int, last: int, clauses: Sequence[Clause], nearest: Phrase | None) -> bool:
    """Whether a doubt is one of a claim that stands from the first to the last clause and is nearest to a phrase."""
    inside = any(
        clause.sentence == doubt.sentence or (doubt.carries and clause.breath == doubt.breath)
        for clause in clauses[first : last + 1]
    )
    if not inside or doubt.firm or nearest is None or not nearest.negated:
        return inside
    # A phrase that denies something excuses what is denied beside it, and the same denial in it.
    return first <= doubt.at <= last and not (nearest.denied | nearest.unable) & doubt.denied


def changes_of_mind(known: ReadyCriterion, answer: str, clauses: tuple[Clause, ...]) -> tuple[int, ...]:
    """Positions of the clauses that turn against what was said before: ``wait, no``, ``but that is fine``, ``DDP handles it``."""
    turns, relies = _turns(answer, clauses)
    asked_for = known.terms & {"~automatic", "~handle"}
    return turns if asked_for or not relies else tuple(sorted({*turns, *relies}))


def contradicted(known: ReadyCriterion, clauses: Sequence[Clause]) -> frozenset[int]:
    """Positions of the clauses that say *same* or *differ* of something of which a later *but* says the other.

    Without a *but* the two mostly hold together: equally many sequences, and different counts of tokens.
    """
    if not known.terms & OPPOSITE.keys():
        return frozenset()
    plain = [
        (clause, clause.keys & OPPOSITE.keys(), at)
        for at, clause in enumerate(clauses)
        if len(clause.keys & OPPOSITE.keys()) == 1 and not (clause.negated or clause.conditional or clause.distanced)
    ]
    turning = {clause.sentence for clause in clauses if clause.words[0].text in CONTRASTING_AGAIN}
    return frozenset(
        at
        for one, said, at in plain
        for other, again, later in plain
        if at < later and other.sentence in turning and {OPPOSITE[key] for key in said} == again and _subject(one) & _subject(other)
    )


def _subject(clause: Clause) -> frozenset[str]:
    """Keys of what stands before the *same* or *differ* of a clause, or of all its words where nothing does."""
    at = next(place for place, word in enumerate(clause.words) if word.key in OPPOSITE)
    before = frozenset(word.key for word in clause.words[:at] if word.content)
    after = [word.key for word in clause.words[at + 1 :] if word.content]
    return before | frozenset(after[:2])


@lru_cache(maxsize=4)
def _turns(answer: str, clauses: tuple[Clause, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The clauses that turn against what was said, whatever is asked for; and those that rely on a framework."""
    turns, relies = [], []
    for at, clause in enumerate(clauses[1:], 1):
        said = answer[clause.start : clause.end + 1].casefold().replace("’", "'")
        if _RETRACTS.search(said) or _reassures(at, clauses) or _VERDICT.search(said):
            turns.append(at)
        elif not (clause.negated or clause.conditional or clause.distanced or any(word.text in _ASKS for word in clause.words[:2])):
            if _DISMISSES.search(said):
                turns.append(at)
            elif "~framework" in clause.keys and clause.keys & {"~automatic", "~handle"}:
                relies.append(at)
    return tuple(turns), tuple(relies)


def _reassures(at: int, clauses: Sequence[Clause]) -> bool:
    """Whether a clause turns against what was said and then finds it all in order: ``but in practice that is fine``."""
    words = [word.text for word in clauses[at].words]
    opened = any(text in CONTRASTING_AGAIN for text in words[:3]) or words[-2:] == ["after", "all"]
    same = [clause for clause in clauses[at:] if clause.sentence == clauses[at].sentence and not clause.conditional]
    return opened and any(word.text in APPROVING and not clause.negated for clause in same for word in clause.words)


def withdrawn(first: int, last: int, clauses: Sequence[Clause], changes: Sequence[int], question: frozenset[str]) -> bool:
    """Whether the learner's mind changes after a claim, or within it: a reader can't tell then what holds."""
    keys = frozenset[str]().union(*(clause.keys for clause in clauses[first : last + 1])) - question
    for at in changes:
        if at <= first:
            continue
        if at <= last or clauses[at].sentence - clauses[last].sentence <= NEAR:
            return True
        passage = (clause.keys for clause in clauses[at:] if clause.sentence <= clauses[at].sentence + NEAR)
        if keys & frozenset[str]().union(*passage):
            return True
    return False


def in_change(first: int, clauses: Sequence[Clause], changes: Sequence[int]) -> bool:
    """Whether a claim is part of what a change of mind puts in the place of what was said before."""
    return any(at <= first and clauses[first].sentence <= clauses[at].sentence + NEAR for at in changes)


def _opens(clause: Clause, following: Sequence[Clause]) -> bool:
    """Whether a colon stands between a clause and what follows."""
    return any(other.breath == clause.breath and other.sentence != clause.sentence for other in following)


def _asks_for_it(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """``if the ranks do not agree, they drift apart`` asks for agreement."""
    return clause.conditional and any(harmful(other) for other in clauses if other.sentence == clause.sentence)


def _calls_wrong(known: ReadyCriterion, clause: Clause) -> bool:
    """Whether the criterion asks for just that: the nearest phrase denies, or calls something wrong, as the clause does."""
    nearest = best_phrase(known.freely, clause.words).phrase
    calls_wrong = any(word.text in DISTANCED for word in clause.words)
    return nearest is not None and nearest.denies == (clause.negated != calls_wrong)


def _contrary(known: ReadyCriterion, at: int, clauses: Sequence[Clause], rubric: ReadyRubric) -> bool:
    """Whether a clause turns the criterion's *same* or *differ* round, or says that something has no effect."""
    clause = clauses[at]
    if not (clause.turned or clause.no_effect) or _asks_for_it(clause, clauses):
        return False
    if clause.turned and opposed(known, clause.words, best_phrase(known.freely, clause.words).strength):
        return True
    if not clause.no_effect or contrasted(known, clauses, at):
        return False
    return not any(agrees(other, clause.words, clause.words, True) for other in rubric.criteria)


def _unaccounted(known: ReadyCriterion, at: int, clauses: Sequence[Clause], rubric: ReadyRubric) -> frozenset[str]:
    """Keys of what a clause denies and the rubric doesn't deny; aside, only what the criterion speaks of counts."""
    clause = clauses[at]
    denied, aside = clause.doubted, clause.doubted_aside
    if clause.conditional:
        denied, aside = (), (*denied, *aside)
    denied = (*denied, *(word for word in aside if word.key in known.terms and word.key not in rubric.question))
    if not denied or _asks_for_it(clause, clauses) or contrasted(known, clauses, at):
        return frozenset()
    if refutes(clause, rubric.misconceptions, known) or any(
        agrees(other, clause.words, denied, False) for other in rubric.criteria
    ):
        return frozenset()
    return frozenset(word.key for word in denied)
