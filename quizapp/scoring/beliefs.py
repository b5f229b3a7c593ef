"""Which misconceptions an answer states, in the rubric's words or in others.

Here: how likely a window of an answer states a misconception, beside what the same words say of the criteria, what the rest of
the answer earns, and whether the learner has just changed their mind; the semantic tier adds how near its states are. The weights
of each tier are fitted on marked answers (``benchmarks/fit_beliefs.py``). Not here: support of criteria
(``quizapp.scoring.outcome``), and points.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from quizapp.scoring.claims import Claim, Finding, spans_of
from quizapp.scoring.clauses import Clause, Window
from quizapp.scoring.denial import SHOWN
from quizapp.scoring.doubt import in_change
from quizapp.scoring.lexical import Covered, Phrases, ReadyMisconception, ReadyRubric, Support, best_phrase, covered
from quizapp.scoring.lexicon import DISTANCED
from quizapp.scoring.profile import alike
from quizapp.scoring.wording import Wording, negated
from quizapp.scoring.words import read_phrase

FILE = Path(__file__).with_name("beliefs.json")
FEATURES = (
    "phrase",
    "likeness of the parts of words",
    "phrase, beyond any criterion's",
    "likeness, beyond any criterion's",
    "after a change of mind",
)
CANCELS = "a criterion that it cancels is met"
"""The last feature, after those of the tier: it moves while the answer is weighed."""
OTHER_POLARITY = 0.6
"""What a phrase counts for where it denies and the words don't, or the other way round."""
FEWEST_SAID = 2
"""Words of a phrase that have to be there."""
MOST_CLAUSES = 2
WHOLE, LITTLE_ELSE = 0.9, 0.75
"""Coverage of a phrase, and its share of the words, from which these are the rubric's own, whatever else speaks against that."""


Nearness = Callable[[ReadyMisconception, Window], tuple[float, ...]]
"""What a tier measures of a window beside ``FEATURES``."""


@dataclass(frozen=True, slots=True)
class Weights:
    """``intercept + weights . features`` are the log odds; at ``chance`` a misconception is named."""

    intercept: float
    weights: tuple[float, ...]
    chance: float

    def log_odds(self, features: Sequence[float]) -> float:
        """The log odds that words state the misconception."""
        return self.intercept + sum(weight * feature for weight, feature in zip(self.weights, features, strict=True))

    def likely(self, features: Sequence[float]) -> bool:
        """Whether words state the misconception."""
        return self.log_odds(features) >= math.log(self.chance / (1 - self.chance))


@lru_cache(maxsize=1)
def weights() -> Mapping[str, Weights]:
    """Tier -> the fitted ones."""
    found = json.loads(FILE.read_text("utf-8"))
    return {
        tier: Weights(data["intercept"], tuple(data["weights"].values()), found["chance"]) for tier, data in found["tiers"].items()
    }


@dataclass(frozen=True, slots=True)
class Reading:
    """A window that may state a misconception."""

    window: Window
    phrase: Support
    """The nearest phrase of the misconception."""
    features: tuple[float, ...]
    """Those that ``FEATURES`` names, those of the tier, and ``CANCELS``."""
    whole: bool
    """It is one of the rubric's own phrases, nearly whole."""


def stated(
    rubric: ReadyRubric,
    clauses: Sequence[Clause],
    views: Sequence[Window],
    readings_of: Sequence[tuple[ReadyMisconception, Sequence[Reading]]],
    findings: Mapping[str, Finding],
    known: Weights,
) -> Mapping[str, Claim]:
    """Misconception -> where it is stated last, unless it is refuted there or later.

    Args:
        readings_of: what :func:`read` gave, on findings that may have been others.
        findings: criterion -> all about it, as it is known now.
        known: the tier's weights.
    """
    found: dict[str, Claim] = {}
    thresholds = _thresholds(rubric)
    for misconception, readings in readings_of:
        met = _cancels_what_is_met(misconception, findings, thresholds)
        likely = [reading for reading in readings if reading.whole or known.likely((*reading.features[:-1], met))]
        claim: Claim | None = None
        for reading in likely:
            view = reading.window
            if claim is None or view.first > claim.last or reading.phrase.strength > claim.support.strength:
                claim = Claim(reading.phrase, view.first, view.last, spans_of(reading.phrase.words, view.words))
        if claim is not None and _refuted(misconception, clauses, views) < claim.last:
            found[misconception.shown.id] = claim
    return found


def read(
    rubric: ReadyRubric,
    clauses: Sequence[Clause],
    views: Sequence[Window],
    findings: Mapping[str, Finding],
    nearness: Nearness,
) -> Iterator[tuple[ReadyMisconception, list[Reading]]]:
    """Each misconception with the windows that may state it."""
    if not rubric.misconceptions:
        return
    places = [
        (view, alike(view.words, rubric.rarity, rubric.profiles), denying(view.clauses))
        for view in views
        if view.last - view.first < MOST_CLAUSES
        and not view.clauses[0].supposing
        and not any(clause.reported or (clause.harm and clause.negated) for clause in view.clauses)
    ]
    right = [
        (
            max((covered(known.freely, view.words).strictly for known in rubric.criteria), key=lambda best: best.strength),
            max((likeness[known.profile] for known in rubric.criteria), default=0.0),
        )
        for view, likeness, _ in places
    ]
    thresholds = _thresholds(rubric)
    for known in rubric.misconceptions:
        met = _cancels_what_is_met(known, findings, thresholds)
        changes = [at for id in known.shown.cancels if id in findings for at in findings[id].changes]
        readings = []
        for (view, likeness, denies), (rival, by_parts) in zip(places, right, strict=True):
            phrase = _nearest(known.accept, view.words, denies)
            if len(phrase.words) < FEWEST_SAID:
                continue
            refutation = covered(known.refute.denies[denies], view.words)
            if refutation.strength > phrase.strength or _is_right(rival, phrase, denies) or _called_wrong(phrase, view):
                continue
            features = (
                phrase.strength,
                likeness[known.profile],
                phrase.strength - rival.strength,
                likeness[known.profile] - by_parts,
                float(in_change(view.first, clauses, changes)),
                *nearness(known, view),
                met,
            )
            nearer = phrase.strength > rival.strength or _is_word_for_word(phrase, view)
            whole = nearer and _says_little_else(phrase, view)
            readings.append(Reading(view, phrase, features, whole))
        yield known, readings


def _thresholds(rubric: ReadyRubric) -> dict[str, float]:
    return {known.criterion.id: known.threshold for known in rubric.criteria}


def _cancels_what_is_met(known: ReadyMisconception, findings: Mapping[str, Finding], thresholds: Mapping[str, float]) -> float:
    return float(any(findings[id].holds(thresholds[id]) for id in known.shown.cancels if id in findings))


def _called_wrong(found: Support, view: Window) -> bool:
    """``it is a mistake to think that ...``: what the phrase says is what is called wrong."""
    if found.phrase is None or not all(clause.distanced for clause in view.clauses):
        return False
    words = read_phrase(found.phrase.text)
    return negated(words) == view.words.negated and not any(word.text in DISTANCED for word in words)


def _is_right(rival: Covered, phrase: Support, denies: bool) -> bool:
    """Whether the words are what a criterion asks for, nearly as the rubric puts it."""
    plain = rival.phrase is not None and rival.phrase.denies == denies
    return plain and rival.strength >= max(WHOLE, phrase.strength)


def _nearest(phrases: Phrases, words: Wording, denies: bool) -> Support:
    """The best covered phrase, those of the other polarity counting for less."""
    same, other = phrases.denies[denies], phrases.denies[not denies]
    if OTHER_POLARITY * covered(other, words).strength <= covered(same, words).strength:
        return best_phrase(same, words)
    found = best_phrase(other, words)
    return replace(found, strength=OTHER_POLARITY * found.strength)


def _refuted(known: ReadyMisconception, clauses: Sequence[Clause], views: Sequence[Window]) -> int:
    """The position of the last clause that is nearest to a refutation, or ends one as the rubric puts it; -1 where none is."""
    last = -1
    for at, clause in enumerate(clauses):
        if clause.supposing:
            continue
        denies = denying((clause,))
        refutation = covered(known.refute.denies[denies], clause.words)
        if refutation.strength >= SHOWN and refutation.strength > _nearest(known.accept, clause.words, denies).strength:
            last = at
    for view in views:
        if last < view.last < view.first + MOST_CLAUSES:
            denial = best_phrase(known.refute.denies[denying(view.clauses)], view.words)
            claim = best_phrase(known.accept, view.words)
            says_more = (denial.strength, len(denial.words)) > (claim.strength, len(claim.words))
            if says_more and _says_little_else(denial, view):
                last = view.last
    return last


def _says_little_else(found: Support, view: Window) -> bool:
    """Whether a window is a phrase of the rubric, nearly whole."""
    return found.strength >= WHOLE and len(found.words) >= LITTLE_ELSE * len(view.words.held)


def _is_word_for_word(found: Support, view: Window) -> bool:
    said = read_phrase(found.phrase.text) if found.phrase is not None else ()
    return [word.text for word in said] == [word.text for word in view.words]


def denying(clauses: Sequence[Clause]) -> bool:
    """Whether clauses deny something, or call it wrong, and not both."""
    return any(clause.words.negated for clause in clauses) != any(clause.distanced for clause in clauses)
