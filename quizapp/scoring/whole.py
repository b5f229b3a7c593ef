"""What an answer as a whole makes of each of its claims.

Here: a second weighing, once each criterion has its best claim. Whoever says one thing rightly is likelier to mean another; whoever
denies it, or changes their mind, is less likely to. What is said elsewhere in the answer of this criterion and of the others
counts too, and how near the claim stands to a misconception. Weights were fitted on marked answers
(``benchmarks/fit_outcomes.py``). Not here: how likely single words meet a criterion (``quizapp.scoring.outcome``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from quizapp.scoring.beliefs import Reading, Weights
from quizapp.scoring.claims import Claim, Finding
from quizapp.scoring.clauses import Clause, window
from quizapp.scoring.fluff import says_nothing_of_its_own
from quizapp.scoring.lexical import MET, ReadyCriterion, ReadyMisconception, ReadyRubric, best_phrase
from quizapp.scoring.outcome import STEP, WHOLE, Weighed
from quizapp.scoring.words import Word, read_phrase

FEATURES = (
    "own",
    "chance of the others",
    "changes of mind",
    "runs on",
    "clauses that deny an effect",
    "doubtful",
    "withdrawn",
    "denied later",
    "conditional",
    "near a misconception",
    "pairs of a phrase",
    "share of the likeliest window",
    "shares of the sentences",
    "description, beyond the others'",
    "criteria",
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
NONE = 0.5
"""What stands, among the odds of the criteria on the same words, for saying nothing of any of them."""
FEWEST_CRITERIA, MOST_CRITERIA = 3, 5
"""As many as the rubrics have on whose answers the weights were fitted."""
LEAST_RARITY = 0.05
UNSAID, SURE = -6.0, 0.999
"""Log odds where nothing is said, and the share beyond which nothing is surer."""
MOST_TAKEN = 2.0
"""Log odds that the rest of an answer takes from a claim at most, where no mind changes and nothing is denied later."""
REFUSED = 0.5
"""Log odds that a rule has taken from a claim, from which it was refused: no weighing may raise it then."""

Readings = Sequence[tuple[ReadyMisconception, Sequence[Reading]]]
"""Misconceptions with the windows that may state them."""
Odds = Mapping[tuple[int, int], tuple[float, ...]]
"""First and last clause of a window -> log odds of each criterion, before any rule."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What all the windows of an answer say of one criterion, before any rule."""

    most: float
    """The largest share of the odds on one window."""
    shares: float
    """How sure it is, by these shares, that one of the sentences speaks of it: minus the log of the chance that none does."""


def _odds(claim: Claim | None) -> float:
    """The log odds of a claim beyond what is enough."""
    return max(-FAR, min(FAR, (claim.support.strength - MET) / STEP)) if claim else -FAR


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def chance(finding: Finding) -> float:
    """How likely its best claim is meant, as it has been weighed so far."""
    return _chance(_odds(finding.best))


def _beyond(best: Claim | None, clauses: Sequence[Clause]) -> Sequence[Clause]:
    """The clauses that may speak against a claim: a phrase that says itself that something has no effect isn't among them."""
    if best is None or best.support.phrase is None or not best.support.phrase.needless:
        return clauses
    return (*clauses[: best.first], *clauses[best.last + 1 :])


def spreads(odds: Odds, clauses: Sequence[Clause], criteria: int) -> list[Spread]:
    """What all windows say of each criterion. A window counts for the sentence where it begins; one said twice counts once."""
    said: dict[int, frozenset[str]] = {}
    for clause in clauses:
        said[clause.sentence] = said.get(clause.sentence, frozenset()) | clause.keys
    largest: list[dict[frozenset[str], float]] = [{} for _ in range(criteria)]
    for (first, _), row in odds.items():
        sentence = said[clauses[first].sentence]
        of_each = [math.exp(max(-FAR, min(FAR, value))) for value in row]
        total = NONE + sum(of_each)
        for at, value in enumerate(of_each):
            largest[at][sentence] = max(largest[at].get(sentence, 0.0), value / total)
    return [
        Spread(
            max(shares.values(), default=0.0),
            -sum(math.log(1 - SURE * share) for share in shares.values()),
        )
        for shares in largest
    ]


def _described(rubric: ReadyRubric, clauses: Sequence[Clause]) -> list[float]:
    """How much of each criterion's description the answer says, rare words counting more, beyond the mean of the others."""
    said = {word.key for clause in clauses if not clause.reported for word in clause.meant if word.content}
    covered = []
    for known in rubric.criteria:
        rare = [(key in said, max(LEAST_RARITY, rubric.rarity(key))) for phrase in known.described for key in phrase.weights]
        covered.append(sum(value for held, value in rare if held) / (sum(value for _, value in rare) or 1.0))
    if len(covered) < 2:
        return [0.0] * len(covered)
    return [value - (sum(covered) - value) / (len(covered) - 1) for value in covered]


def _neighbours(keys: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Each key with the next one and the one after that."""
    return frozenset((*pairwise(keys), *zip(keys, keys[2:], strict=False)))


@lru_cache(maxsize=1024)
def _pairs(accept: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """The neighbouring content words of a criterion's phrases."""
    return frozenset[tuple[str, str]]().union(
        *(_neighbours([word.key for word in read_phrase(text) if word.content]) for text in accept)
    )


def _near(best: Claim, readings: Readings, known: Weights) -> float:
    """How likely words among those of a claim state a misconception."""
    found = (
        known.log_odds(reading.features)
        for _, some in readings
        for reading in some
        if reading.window.first <= best.last and best.first <= reading.window.last
    )
    return _chance(max(found, default=UNSAID))


def features(
    rubric: ReadyRubric,
    findings: Sequence[Finding],
    clauses: Sequence[Clause],
    words: Sequence[Word],
    measure: Weighed,
    readings: Readings,
) -> list[tuple[float, ...]]:
    """``FEATURES`` of each criterion."""
    chances = [chance(finding) for finding in findings]
    runs_on, said = says_nothing_of_its_own(words, clauses), len({word.key for word in words if word.content})
    spread, described = spreads(measure.odds, clauses, len(findings)), _described(rubric, clauses)
    criteria = math.log(min(MOST_CRITERIA, max(FEWEST_CRITERIA, len(findings))))
    out: list[tuple[float, ...]] = []
    for at, (known, finding) in enumerate(zip(rubric.criteria, findings, strict=True)):
        others = [value for place, value in enumerate(chances) if place != at]
        best, denial = finding.best, finding.denial
        around = clauses[best.first : best.last + 1] if best else ()
        keys = [word.key for word in window(clauses, best.first, best.last).words if word.content] if best else []
        out.append(
            (
                _odds(best),
                sum(others) / len(others) if others else USUAL,
                float(min(MOST_CHANGES, len(finding.changes))),
                float(runs_on and (best is None or len(best.support.words) < NEAR_WHOLE * said)),
                sum(clause.no_effect for clause in _beyond(best, clauses)) / (len(clauses) or 1),
                float(finding.doubtful),
                float(finding.withdrawn),
                float(denial is not None and best is not None and denial.last > best.last),
                float(any(clause.conditional for clause in around)),
                _near(best, readings, measure.beliefs) if best else 0.0,
                float(len(_pairs(known.criterion.accept) & _neighbours(keys))),
                spread[at].most,
                spread[at].shares,
                described[at],
                criteria,
            )
        )
    return out


def strength(weights: Sequence[float], features: Sequence[float]) -> float:
    """What the log odds by an intercept and weights come to on the scale of support."""
    odds = weights[0] + sum(weight * feature for weight, feature in zip(weights[1:], features, strict=True))
    return MET + STEP * (odds - math.log(LIKELY / (1 - LIKELY)))


def settled(
    rubric: ReadyRubric,
    findings: Sequence[Finding],
    clauses: Sequence[Clause],
    words: Sequence[Word],
    measure: Weighed,
    readings: Readings,
) -> list[Finding]:
    """The findings with what the whole answer makes of them; a phrase said as it stands is left alone."""
    rows = features(rubric, findings, clauses, words, measure, readings)
    return [
        _with_strength(known, finding, clauses, _bounded(strength(measure.outcome.whole, row), finding, at, measure.odds))
        for at, (known, finding, row) in enumerate(zip(rubric.criteria, findings, rows, strict=True))
    ]


def _bounded(strength: float, finding: Finding, at: int, odds: Odds) -> float:
    """The strength within what the rest of an answer may give to a claim, and take from it."""
    best, denial = finding.best, finding.denial
    if best is None:
        return strength
    if _refused(best, at, odds):
        strength = min(strength, best.support.strength)
    if not finding.changes and (denial is None or denial.last < best.last):
        strength = max(strength, best.support.strength - MOST_TAKEN * STEP)
    return max(0.0, min(1.0, strength))


def _refused(best: Claim, at: int, odds: Odds) -> bool:
    """Whether a rule has taken from a claim what its words alone would have."""
    if (best.first, best.last) not in odds:
        return False
    sure = (1 - MET) / STEP
    return min(sure, odds[best.first, best.last][at]) - _odds(best) > REFUSED


def _with_strength(known: ReadyCriterion, finding: Finding, clauses: Sequence[Clause], strength: float) -> Finding:
    best = finding.best
    if best is None or not best.support.words:
        return finding
    inside = {clause.sentence for clause in clauses[best.first : best.last + 1]}
    said = tuple(word for clause in clauses if clause.sentence in inside for word in clause.meant)
    untouched = not (finding.doubtful or finding.withdrawn or finding.denial)
    if untouched and strength < best.support.strength and best_phrase(known.accept, said).strength >= WHOLE:
        return finding
    return replace(finding, best=replace(best, support=replace(best.support, strength=strength)))
