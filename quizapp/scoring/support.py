"""How well a window says what a criterion asks for, in the lexical tier: its phrases and concept groups put together.

Here: support of a criterion, polarity aside. Not here: how much of one phrase is covered (``quizapp.scoring.lexical``), and denials
(``quizapp.scoring.claims``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quizapp.scoring.clauses import Window, adverse
from quizapp.scoring.groups import cover_groups
from quizapp.scoring.lexical import (
    NOTHING,
    ROUNDING,
    Covered,
    ReadyCriterion,
    ReadyMisconception,
    ReadyRubric,
    Support,
    covered,
)
from quizapp.scoring.lexicon import OPPOSITE
from quizapp.scoring.order import reversed_in
from quizapp.scoring.profile import Profile, alike
from quizapp.scoring.wording import Wording

CONTRARY = 0.3
"""What support is at most where the words say the contrary, or the reverse order."""
NEARER = 0.1
"""Coverage by which one phrase is nearer than another."""
CONTRASTS = frozenset({"instead", "rather", "only", "but", "than", "without", "unlike"})
GROUPS_ALONE = 0.5
"""Support from groups that are all covered, before any phrase is."""
ONE_GROUP = 0.3
"""Phrase coverage that a single group needs beside it: one term alone is a topic, not a claim."""
NEARLY, QUITE, SHORT = 0.6, 0.7, 0.58
"""Coverage of a phrase that is wanted where a concept group is missing, where most are, and what support comes to below it."""
FEWEST_MATCHES = 2
"""A phrase of which one word alone is said isn't said."""
LEAST_PRECISION, FULL_PRECISION = 0.6, 0.5
"""What support is worth among words that are about something else, and the share of a criterion's terms that makes it whole."""


def opposed(known: ReadyCriterion, words: Wording, said: float) -> bool:
    """Whether the words are nearest to a phrase whose *same* or *differ* they say the other way round."""
    held_keys = words.held
    if held_keys.keys().isdisjoint(OPPOSITE):
        return False
    for phrase in known.accept:
        if not any(OPPOSITE.get(key) in held_keys and key not in held_keys for key in phrase.contrasting):
            continue
        held = sum(weight for key, weight in phrase.weights.items() if key in held_keys or OPPOSITE.get(key) in held_keys)
        if held / sum(phrase.weights.values()) > said + NEARER:
            return True
    return False


def _unnegated(known: ReadyCriterion, words: Wording, found: Covered) -> bool:
    """Whether the words are nearest to a phrase that denies, and deny nothing themselves: then they say the contrary."""
    if not known.accept.with_denial:
        return False
    held = {True: 0.0, False: 0.0}
    for phrase, share in zip(known.accept, found.strictly.shares, strict=True):
        if share > held[phrase.negated] and (phrase.denied or not phrase.negated):
            held[phrase.negated] = share
    if held[True] < QUITE - ROUNDING or held[True] <= held[False] + NEARER:
        return False
    return not (words.negated or any(word.key == "~differ" or adverse(word) or word.text in CONTRASTS for word in words))


def misordered(known: ReadyCriterion, words: Wording) -> bool:
    """Whether the words tell the reverse of an order that the criterion's phrases tell, and none of theirs."""
    wanted = known.accept.orders
    if not wanted or not words.told:
        return False
    return any(reversed_in(pairs, words.told) for pairs in wanted) and not any(pairs & words.told for pairs in wanted)


def _precision(known: ReadyCriterion, words: Wording) -> float:
    """What is left of support where most of what is said is about something else than the criterion."""
    share = said_of(known.terms, words) / (len(words.content) or 1)
    return min(1.0, LEAST_PRECISION + (1 - LEAST_PRECISION) * share / FULL_PRECISION)


def said_of(keys: frozenset[str], words: Wording) -> int:
    """How many content words have one of some keys."""
    return sum(map(keys.__contains__, words.content))


def support(ready_criterion: ReadyCriterion, window: Window) -> Support:
    """How well a window says what a criterion asks for, polarity aside."""
    words = window.words
    share, grouped = cover_groups(ready_criterion.groups, words)
    if not share and words.held.keys().isdisjoint(ready_criterion.freely.matter):
        return NOTHING
    found = covered(ready_criterion.freely, words)
    phrase = found.phrase
    several = len(ready_criterion.groups) > 1
    said = found.strength
    if share < 1.0 and several:
        # With a concept missing, only the phrase's own words tell that it is meant.
        said = min(said, found.strictly.strength + 0.1)
    if phrase is not None and phrase.negated and not words.negated:
        said *= 0.6
    if phrase is not None and len(found.keys) < min(FEWEST_MATCHES, len(phrase.weights)):
        said = min(said, ONE_GROUP)
    strength = max(said, 0.3 * share + 0.45 * said if several else 0.0)
    if share == 1.0 and (several or said >= ONE_GROUP or not ready_criterion.accept):
        strength = max(strength, GROUPS_ALONE + (1 - GROUPS_ALONE) * said)
    if several and share < 1.0 and said < (NEARLY if share >= 0.5 else QUITE):
        strength = min(strength, SHORT)
    contrary = (
        _unnegated(ready_criterion, words, found)
        or opposed(ready_criterion, words, found.strength)
        or misordered(ready_criterion, words)
    )
    if contrary:
        strength = min(strength, CONTRARY)
    strength *= _precision(ready_criterion, words)
    phrased = [words.held[key] for key in found.keys] if said >= 0.4 or not grouped else []
    return Support(min(strength, 1.0), tuple(dict.fromkeys((*grouped, *phrased))), phrase, contrary)


FEATURES = (
    "support",
    "likeness",
    "phrases",
    "groups",
    "words of the criterion",
    "words of the question",
    "words of nobody else",
    "words matched",
    "misconception",
    "likeness to a misconception",
    "one clause",
)
"""The names of what :meth:`LexicalReader.measure` gives."""
SEVERAL = 3
"""Phrases whose coverage counts: one alone may be near by chance."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a window's words are, whatever is asked for."""

    asked: float
    """The share of their content words that the question holds."""
    own: float
    """The share that neither the question nor any criterion has."""
    misconception: float
    """How much of a misconception's phrase they cover, at most."""
    likeness: Mapping[Profile, float]
    """How alike they are to what each of the rubric's criteria and misconceptions says."""
    deluded: float
    """How alike they are to a misconception, at most."""


class LexicalReader:
    """One answer, measured window by window."""

    def __init__(self, rubric: ReadyRubric) -> None:
        self._rubric = rubric
        self._said: dict[tuple[int, int], _Said] = {}

    def _read(self, view: Window) -> _Said:
        place = view.first, view.last
        if place not in self._said:
            misconceptions = self._rubric.misconceptions
            likeness = alike(view.words, self._rubric.rarity, self._rubric.profiles)
            # By polarity, as misconceptions are looked for later.
            accepted = [phrases for known in misconceptions for phrases in known.accept.denies.values()]
            count = len(view.words.content) or 1
            self._said[place] = _Said(
                said_of(self._rubric.question, view.words) / count,
                (len(view.words.content) - said_of(self._rubric.terms, view.words)) / count,
                max((covered(phrases, view.words).strength for phrases in accepted), default=0.0),
                likeness,
                max((likeness[known.profile] for known in misconceptions), default=0.0),
            )
        return self._said[place]

    def likeness(self, known: ReadyCriterion, view: Window) -> float:
        """How alike a window is to what a criterion's texts have in common."""
        return self._read(view).likeness[known.profile]

    def measure(self, known: ReadyCriterion, view: Window) -> tuple[Support, tuple[float, ...]]:
        """Support, and ``FEATURES``."""
        said, found = self._read(view), support(known, view)
        share, _ = cover_groups(known.groups, view.words)
        return found, (
            found.strength,
            self.likeness(known, view),
            several_phrases(known, view.words),
            share,
            said_of(known.terms, view.words) / (len(view.words.content) or 1),
            said.asked,
            said.own,
            float(len({word.key for word in found.words})),
            said.misconception,
            said.deluded,
            float(view.first == view.last),
        )

    def nearness(self, _: ReadyMisconception, __: Window) -> tuple[float, ...]:
        """Nothing: words are compared where misconceptions are looked for (``quizapp.scoring.beliefs``)."""
        return ()


def several_phrases(known: ReadyCriterion, words: Wording) -> float:
    """The mean coverage of the phrases that the words cover best, other terms of a group standing in."""
    best = sorted(covered(known.freely, words).shares)[-SEVERAL:]
    return sum(best) / len(best) if best else 0.0
