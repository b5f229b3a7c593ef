"""What an answer says for and against each criterion: claims with the words that make them.

Here: support weighed against denial, order and polarity, clause by clause. Words are ``quizapp.scoring.words``, clauses
``quizapp.scoring.clauses``, strength ``quizapp.scoring.lexical``. Not here: points and the sentences that explain them
(``quizapp.scoring.text``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from quizapp.scoring.clauses import MAX_WINDOW_WORDS, Clause, Window, window
from quizapp.scoring.denial import CLOSE, contrasted, denial, rejected, turned_round
from quizapp.scoring.doubt import Doubt, changes_of_mind, contradicted, doubts, in_change, reaches, withdrawn
from quizapp.scoring.lexical import (
    UNSURE,
    ReadyCriterion,
    ReadyRubric,
    Support,
    best_phrase,
)
from quizapp.scoring.support import misordered, support
from quizapp.scoring.wording import Wording, pairs, wording
from quizapp.scoring.words import Word

VERBATIM = 0.75
"""Coverage from which a phrase is repeated rather than put in other words: a *not* in it then counts, wherever it stands."""
CONDEMNING = frozenset({"wrong", "incorrect", "false", "mistake", "mistaken", "untrue", "nonsense"})
TURNED_ROUND = 0.7
"""What is left of support of which some words are denied, below the threshold: too little to be met, enough to be asked about."""
FEWEST_NEW_WORDS, ECHOED = 2, 0.67
"""Fewer content words beside the question's own, and this share of neighbouring pairs from the question: an echo."""
WOVEN = 0.45
"""Coverage of a phrase that evidence needs where another criterion's evidence lies among it."""
WOVEN_BEST = 0.3
"""The same for the best supported of them."""
STRUNG, OWN_WORDS = 3, 0.07
"""Criteria whose evidence is interwoven, and the share of words that must be neither the rubric's nor the question's then."""
REGEX_SECONDS = 0.1

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A place in the answer that speaks for or against something."""

    support: Support
    first: int
    last: int
    spans: Spans


@dataclass(frozen=True, slots=True)
class Finding:
    """All that is known about one criterion."""

    best: Claim | None
    denial: Claim | None
    doubtful: bool = False
    """The best claim stands among denials that the rubric doesn't account for."""
    withdrawn: bool = False
    """The learner's mind changes after the best claim."""
    changes: tuple[int, ...] = ()
    """Positions of the clauses in which the learner's mind changes."""
    claimed: float = 0.0
    """The best claim's support by its own words, before the rest of the answer is weighed with it."""

    def holds(self, threshold: float) -> bool:
        """Whether the criterion is claimed, and the claim stands."""
        enough = self.best is not None and self.best.support.strength >= threshold
        return enough and not (self.doubtful or self.withdrawn)


def spans_of(words: Iterable[Word], all_words: Sequence[Word]) -> Spans:
    """Spans of the words, joined where at most two other words stand between."""
    place = {word.start: at for at, word in enumerate(all_words)}
    spans: list[list[int]] = []
    last = -10
    for word in sorted(words, key=lambda word: word.start):
        at = place.get(word.start, last + 10)
        if spans and at - last <= 3:
            spans[-1][1] = max(spans[-1][1], word.end)
        else:
            spans.append([word.start, word.end])
        last = at
    return tuple((start, end) for start, end in spans)


def echoes(words: Iterable[Word], rubric: ReadyRubric) -> bool:
    """Whether the words, and most of their neighbourhoods, are the question's."""
    words = wording(words)
    if len(words.held.keys() - rubric.question) >= FEWEST_NEW_WORDS:
        return False
    given = pairs(words)
    return len(given & rubric.question_pairs) >= ECHOED * len(given)


def _regex_claim(known: ReadyCriterion, answer: str, clauses: Sequence[Clause]) -> Claim | None:
    import regex

    for pattern in known.criterion.regex:
        try:
            match = regex.search(pattern, answer, regex.IGNORECASE, timeout=REGEX_SECONDS)
        except (TimeoutError, regex.error):
            continue
        if match and match.end() > match.start():
            at = next((index for index, clause in enumerate(clauses) if clause.end > match.start()), 0)
            return Claim(Support(1.0), at, at, ((match.start(), match.end()),))
    return None


def is_whole_answer(known: ReadyRubric, answer: str) -> bool:
    """Whether a pattern written for whole answers (``^...$``) fits: a word may be all that is asked for."""
    patterns = (pattern for criterion in known.criteria for pattern in criterion.criterion.regex)
    given = answer.strip()
    return bool(given) and any(_fits(text, given) for text in patterns if text.startswith("^") and text.endswith("$"))


def _fits(pattern: str, answer: str) -> bool:
    import regex

    try:
        return regex.search(pattern, answer, regex.IGNORECASE, timeout=REGEX_SECONDS) is not None
    except (TimeoutError, regex.error):
        return False


def _words_of(claim: Claim, clauses: Sequence[Clause]) -> Wording:
    """All words of the clauses in which a claim stands."""
    return window(clauses, claim.first, claim.last).words


Measure = Callable[[ReadyCriterion, Window], Support]
"""How well a window says what a criterion asks for, polarity aside: what a tier of the scorer gives."""


def find(
    known: ReadyCriterion,
    answer: str,
    clauses: tuple[Clause, ...],
    views: Sequence[Window],
    rubric: ReadyRubric,
    measure: Measure = support,
) -> Finding:
    """The best support for a criterion that no denial in the same window spoils, and the last denial."""
    denials: dict[int, Support] = {}
    touching = known.terms | known.reject.index.keys()
    for at, clause in enumerate(clauses):
        if clause.keys.isdisjoint(touching):
            continue
        found = denial(known, clause, rubric)
        if found.strength and not contrasted(known, clauses, at):
            denials[at] = found
    best = _regex_claim(known, answer, clauses)
    doubted = doubts(known, clauses, rubric)
    changes = changes_of_mind(known, answer, clauses)
    opposed = contradicted(known, clauses)

    def taken_back(claim: Claim) -> bool:
        if opposed & set(range(claim.first, claim.last + 1)):
            return True
        return withdrawn(claim.first, claim.last, clauses, changes, rubric.question)

    solid = best is not None and not _doubtful(best, clauses, doubted) and not taken_back(best)
    turned, lost = 0.0, False
    reverse = _reverse(known, clauses)
    refused = {at for view in views if rejected(known, view) for at in range(view.first, view.last + 1)}
    speaks = [not clause.keys.isdisjoint(known.terms) for clause in clauses]
    for view in views:
        # Where an outer clause holds none of the criterion's words, a smaller window says the same.
        if not (speaks[view.first] and speaks[view.last]):
            continue
        if any(at in denials for at in range(view.first, view.last + 1)) or len(view.words) > MAX_WINDOW_WORDS:
            continue
        if any(clause.reported for clause in view.clauses):
            continue
        found = measure(known, view)
        strength = found.strength * (1.0 if view.first == view.last else 0.97)
        if turned_round(known, found, view, clauses, rubric):
            strength = min(TURNED_ROUND * strength, known.threshold - CLOSE)
            turned = max(turned, best_phrase(known.accept, view.words).strength)
        if clauses[view.first].sentence in reverse or refused & set(range(view.first, view.last + 1)):
            strength = min(strength, known.threshold - UNSURE)
        if best is not None and strength <= best.support.strength and (solid or strength < known.threshold):
            continue
        if not found.words or echoes(view.words, rubric):
            continue
        claim = Claim(Support(strength, found.words, found.phrase), view.first, view.last, spans_of(found.words, view.words))
        sound = strength >= known.threshold and not _doubtful(claim, clauses, doubted)
        if sound and taken_back(claim):
            sound, lost = False, True
        if best is None or (sound, strength) > (solid, best.support.strength):
            best, solid = claim, sound
    if best is not None and turned >= VERBATIM and turned > best_phrase(known.accept, _words_of(best, clauses)).strength + CLOSE:
        least = min(TURNED_ROUND * best.support.strength, known.threshold - CLOSE)
        best = replace(best, support=replace(best.support, strength=least))
    if best is not None and (later := _condemned(best, clauses)) is not None:
        denials.setdefault(later, Support(1.0, clauses[later].words))
    if best is not None and best.support.phrase is not None and best.support.phrase.negated:
        said_before = {word.key for clause in clauses[best.first : best.last + 1] for word in clause.denied}
        for at in [at for at in denials if {word.key for word in clauses[at].denied} & known.terms & said_before]:
            del denials[at]  # it denies once more what the claim denies
    doubtful = best is not None and _doubtful(best, clauses, doubted)
    again = best is not None and (taken_back(best) or (lost and in_change(best.first, clauses, changes)))
    claimed = best.support.strength if best is not None else 0.0
    if not denials:
        return Finding(best, None, doubtful, again, changes, claimed)
    last = max(denials)
    clause = clauses[last]
    return Finding(best, Claim(denials[last], last, last, ((clause.start, clause.end),)), doubtful, again, changes, claimed)


def _doubtful(claim: Claim, clauses: Sequence[Clause], doubted: Sequence[Doubt]) -> bool:
    """Whether a claim stands where it may not be meant."""
    return any(reaches(doubt, claim.first, claim.last, clauses, claim.support.phrase) for doubt in doubted)


def _condemned(claim: Claim, clauses: Sequence[Clause]) -> int | None:
    """The clause that comes after a claim and calls what this says wrong, in its own words."""
    said = {word.key for word in _words_of(claim, clauses)}
    for at in range(claim.last + 1, len(clauses)):
        clause = clauses[at]
        about = {word.key for word in clause.words if word.content and word.text not in CONDEMNING}
        if not clause.reported and about and about <= said and any(word.text in CONDEMNING for word in clause.words):
            return at
    return None


def _reverse(known: ReadyCriterion, clauses: Sequence[Clause]) -> frozenset[int]:
    """The sentences that tell the reverse of an order that the criterion's phrases tell."""
    if not known.accept.orders:
        return frozenset()
    sentences: dict[int, list[Word]] = {}
    for clause in clauses:
        sentences.setdefault(clause.sentence, []).extend(clause.words)
    return frozenset(number for number, words in sentences.items() if misordered(known, Wording(words)))


def strung_together(findings: Sequence[Finding], clauses: Sequence[Clause], rubric: ReadyRubric) -> set[int]:
    """Positions of the criteria whose evidence is terms strung together.

    A sentence claims one thing at a time. Where the words for one criterion lie among those for another, a phrase of the rubric
    must stand there nearly whole; and where all words of a sentence are the rubric's, it says nothing of its own.
    """
    strung: set[int] = set()
    found = [
        (at, finding.best)
        for at, (finding, known) in enumerate(zip(findings, rubric.criteria, strict=True))
        if finding.best is not None and finding.best.spans and finding.best.support.strength >= known.threshold
    ]
    for at, claim in found:
        others = [other for where, other in found if where != at and _overlap(claim, other)]
        if not others:
            continue
        words = {word.key for word in _words_of(claim, clauses) if word.content}
        own = len(words - rubric.terms)
        said = best_phrase(rubric.criteria[at].freely, _words_of(claim, clauses)).strength
        first = all(claim.support.strength >= other.support.strength for other in others)
        bare = own <= OWN_WORDS * len(words) and len(others) + 1 >= STRUNG and said < VERBATIM
        if bare or said < (WOVEN_BEST if first else WOVEN):
            strung.add(at)
    return strung


def _overlap(one: Claim, other: Claim) -> bool:
    """Whether the words of two claims lie among each other."""
    return one.spans[0][0] < other.spans[-1][1] and other.spans[0][0] < one.spans[-1][1]
