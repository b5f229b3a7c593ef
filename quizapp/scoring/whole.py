"""What an answer as a whole makes of each of its claims.

Here: a second weighing, once each criterion has its best claim. Whoever says one thing rightly is likelier to mean another; whoever
denies it, or changes their mind, is less likely to. Weights were fitted on marked answers
(``benchmarks/fit_outcomes.py``). Not here: how likely single words meet a criterion (``quizapp.scoring.outcome``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from quizapp.scoring.claims import Claim, Finding
from quizapp.scoring.clauses import Clause, says_nothing_of_its_own
from quizapp.scoring.lexical import MET, ReadyCriterion, ReadyRubric, best_phrase
from quizapp.scoring.outcome import STEP, WHOLE, Weighed
from quizapp.scoring.words import Word

FEATURES = (
    "own",
    "chance of the others",
    "changes of mind",
    "others that are denied",
    "runs on",
    "clauses that deny an effect",
    "doubtful",
    "withdrawn",
    "denied later",
)
LIKELY = 0.44
"""Chance from which a criterion is met."""
NEAR_WHOLE = 0.55
"""Share of an answer's content words that a claim must hold to earn anything where the answer strings nouns and verbs together."""
MOST_CHANGES = 2
FAR = 8.0
"""Log odds beyond which nothing is surer."""


USUAL = 0.5
"""The chance of the others where a rubric has no others."""


def _odds(claim: Claim | None) -> float:
    """The log odds of a claim beyond what is enough."""
    return max(-FAR, min(FAR, (claim.support.strength - MET) / STEP)) if claim else -FAR


def chance(finding: Finding) -> float:
    """How likely its best claim is meant, as it has been weighed so far."""
    return 1 / (1 + math.exp(-_odds(finding.best)))


def _beyond(best: Claim | None, clauses: Sequence[Clause]) -> Sequence[Clause]:
    """The clauses that may speak against a claim: a phrase that says itself that something has no effect isn't among them."""
    if best is None or best.support.phrase is None or not best.support.phrase.needless:
        return clauses
    return (*clauses[: best.first], *clauses[best.last + 1 :])


def features(findings: Sequence[Finding], clauses: Sequence[Clause], words: Sequence[Word]) -> list[tuple[float, ...]]:
    """``FEATURES`` of each criterion."""
    chances = [chance(finding) for finding in findings]
    runs_on, said = says_nothing_of_its_own(words), len({word.key for word in words if word.content})
    out: list[tuple[float, ...]] = []
    for at, finding in enumerate(findings):
        others = [place for place in range(len(findings)) if place != at]
        best, denial = finding.best, finding.denial
        out.append(
            (
                _odds(best),
                sum(chances[place] for place in others) / len(others) if others else USUAL,
                float(min(MOST_CHANGES, len(finding.changes))),
                sum(findings[place].denial is not None for place in others) / (len(others) or 1),
                float(runs_on and (best is None or len(best.support.words) < NEAR_WHOLE * said)),
                sum(clause.no_effect for clause in _beyond(best, clauses)) / (len(clauses) or 1),
                float(finding.doubtful),
                float(finding.withdrawn),
                float(denial is not None and best is not None and denial.last > best.last),
            )
        )
    return out


def strength(weights: Sequence[float], features: Sequence[float]) -> float:
    """What the log odds by an intercept and weights come to on the scale of support."""
    odds = weights[0] + sum(weight * feature for weight, feature in zip(weights[1:], features, strict=True))
    return MET + STEP * (odds - math.log(LIKELY / (1 - LIKELY)))


def settled(
    rubric: ReadyRubric, findings: Sequence[Finding], clauses: Sequence[Clause], words: Sequence[Word], measure: Weighed
) -> list[Finding]:
    """The findings with what the whole answer makes of them; a phrase said as it stands is left alone."""
    return [
        _with_strength(criterion, finding, clauses, strength(measure.outcome.whole, row))
        for criterion, finding, row in zip(rubric.criteria, findings, features(findings, clauses, words), strict=True)
    ]


def _with_strength(known: ReadyCriterion, finding: Finding, clauses: Sequence[Clause], strength: float) -> Finding:
    best = finding.best
    if best is None or not best.support.words:
        return finding
    strength = max(0.0, min(1.0, strength))
    inside = {clause.sentence for clause in clauses[best.first : best.last + 1]}
    said = tuple(word for clause in clauses if clause.sentence in inside for word in clause.meant)
    untouched = not (finding.doubtful or finding.withdrawn or finding.denial)
    if untouched and strength < best.support.strength and best_phrase(known.accept, said).strength >= WHOLE:
        return finding
    return replace(finding, best=replace(best, support=replace(best.support, strength=strength)))
