"""The lexical tier: how far a part of an answer covers a criterion's phrases and concept groups, word by word.

Here: a rubric made ready, and the strength of support between 0 and 1 with the words that give it. Not here: what follows from
it for points (``quizapp.scoring.text``). Another tier has to give the same :class:`Support`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from math import fsum

from quizapp.model.rubric import Criterion, Rubric, ShownMisconception
from quizapp.scoring.clauses import says_needless, scope
from quizapp.scoring.lexicon import INABILITY, OPPOSITE, RIVAL
from quizapp.scoring.order import NO_ORDER, TELLING, Order, order, reversed_in
from quizapp.scoring.profile import Profile, Rarity, middle
from quizapp.scoring.words import Vocabulary, Word, read_phrase, vocabulary

MET = 0.6
"""Support from which a criterion is met, where the rubric sets no threshold of its own."""
UNSURE = 0.15
"""How far below its threshold support is still worth a follow-up question."""
QUESTION_WEIGHT = 0.4
"""Weight, against 1, of a phrase's word that the question itself holds."""
GROUP_WEIGHT = 0.8
"""Credit for another term of the same concept group."""
OPPOSED, UNSAID = 0.5, 0.65
"""What is left of a phrase's coverage where its *same* or *differ* is said the other way round, or not at all."""
POINT = 0.5
"""Share of a clause's content words that a wrong phrase without telling words must hold."""
MAX_SPREAD = 26
"""Words over which the groups of one claim may be spread."""

NO_STAND_INS: Mapping[str, tuple[str, ...]] = {}
SUBJECTS = frozenset({"~framework"})

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a rubric, made ready."""

    text: str
    weights: Mapping[str, float]
    """Key -> weight of its content words."""
    negated: bool
    denied: frozenset[str] = frozenset()
    """Keys that its negators deny."""
    needless: bool = False
    """It says itself that something has no effect, or isn't called for."""
    order: Order = NO_ORDER
    """What it says comes before what."""
    telling: frozenset[str] = frozenset()
    """Keys that tell a wrong claim from a right one on the same subject; at least half of them must be there."""
    subject: frozenset[str] = frozenset()
    """Keys of the one that is said to act; without it the claim is another."""
    unable: frozenset[str] = frozenset()
    """Keys of what it says to be beyond a thing's power."""
    total: float = field(init=False)
    """The sum of its weights."""
    keys: frozenset[str] = field(init=False)
    """Those of its weights."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", frozenset(self.weights))
        object.__setattr__(self, "total", fsum(self.weights.values()))


@dataclass(frozen=True, slots=True)
class ReadyCriterion:
    criterion: Criterion
    accept: tuple[Phrase, ...]
    reject: tuple[Phrase, ...]
    groups: tuple[tuple[Keys, ...], ...]
    """Group -> terms -> keys in a row."""
    stand_ins: Mapping[str, tuple[str, ...]]
    """Key -> others of its groups, which may stand for it."""
    terms: frozenset[str]
    """Every key of the groups and the accept phrases."""
    described: tuple[Phrase, ...] = ()
    """What the description says, sentence by sentence; it supports nothing, but what it denies may be denied."""
    profile: Profile = field(default_factory=dict)
    """What its accept phrases and its description have in common."""

    @property
    def threshold(self) -> float:
        return self.criterion.threshold or MET


@dataclass(frozen=True, slots=True)
class ReadyMisconception:
    shown: ShownMisconception
    accept: tuple[Phrase, ...]
    refute: tuple[Phrase, ...]
    profile: Profile = field(default_factory=dict)
    """What its accept phrases have in common."""


@dataclass(frozen=True, slots=True)
class ReadyRubric:
    """A rubric and the question it belongs to, made ready."""

    criteria: tuple[ReadyCriterion, ...]
    misconceptions: tuple[ReadyMisconception, ...]
    question: frozenset[str]
    """Keys of the question's content words."""
    question_pairs: frozenset[tuple[str, str]]
    """Keys of neighbouring content words of the question."""
    spelling: Vocabulary
    rarity: Rarity = field(default_factory=Rarity)
    elsewhere: Mapping[str, frozenset[str]] = field(init=False)
    """Criterion -> keys of the question and of the other criteria."""

    def __post_init__(self) -> None:
        others = {
            known.criterion.id: self.question.union(*(other.terms for other in self.criteria if other is not known))
            for known in self.criteria
        }
        object.__setattr__(self, "elsewhere", others)


@dataclass(frozen=True, slots=True)
class Support:
    """How well something covers a phrase or a criterion."""

    strength: float
    words: tuple[Word, ...] = ()
    """The words that give it."""
    phrase: Phrase | None = None
    contrary: bool = False
    """The words say the contrary, or tell the reverse order: nothing else can make up for that."""


NOTHING = Support(0.0)


def _phrase(text: str, question: frozenset[str], terms: frozenset[str] | None = None) -> Phrase:
    """``terms``, for phrases that say something wrong: the keys that right claims use too."""
    words = tuple(word for word in read_phrase(text) if not word.foil)
    weights = {word.key: QUESTION_WEIGHT if word.key in question else 1.0 for word in words if word.content}
    denied = frozenset(word.key for at, negator in enumerate(words) if negator.negator for word in scope(words, at))
    needless = says_needless(text)
    told = order(words) if any(word.text in TELLING for word in words) else NO_ORDER
    unable = frozenset(word.key for at, other in enumerate(words) if other.text in INABILITY for word in scope(words, at))
    if terms is None:
        return Phrase(text, weights, negated(words), denied, needless, told, unable=unable)
    return Phrase(
        text,
        weights,
        negated(words),
        denied,
        needless,
        told,
        frozenset(weights) - terms - question,
        frozenset(weights) & SUBJECTS,
        unable,
    )


def negated(words: Iterable[Word]) -> bool:
    """Whether a negator or an inability stands anywhere in the words."""
    return any(word.negator or word.text in INABILITY for word in words)


def pairs(words: Iterable[Word]) -> frozenset[tuple[str, str]]:
    """Keys of neighbouring content words."""
    keys = [word.key for word in words if word.content]
    return frozenset(pairwise(keys))


@lru_cache(maxsize=64)
def ready(rubric: Rubric, question: str) -> ReadyRubric:
    """Makes a rubric ready; remembered, since a class answers one question many times."""
    texts = [question]
    for criterion in rubric.criteria:
        texts += [
            criterion.description,
            *criterion.accept,
            *criterion.reject,
            *(term for group in criterion.groups for term in group),
        ]
    for shown in rubric.misconceptions:
        texts += [*shown.accept, *shown.refute]
    asked = frozenset(word.key for word in read_phrase(question) if word.content)
    criteria = []
    for criterion in rubric.criteria:
        accept = tuple(_phrase(text, asked) for text in criterion.accept)
        groups = tuple(
            tuple(keys for term in group if (keys := tuple(word.key for word in read_phrase(term)))) for group in criterion.groups
        )
        terms = frozenset(key for group in groups for term in group for key in term) | {
            key for phrase in accept for key in phrase.weights
        }
        reject = tuple(_phrase(text, asked, terms) for text in criterion.reject)
        described = tuple(_phrase(text, asked) for text in re.split(r"[.;:]\s+", criterion.description) if text.strip())
        criteria.append(ReadyCriterion(criterion, accept, reject, groups, _stand_ins(groups), terms, described))
    usage = Counter(key for known in criteria for key in {key for phrase in known.accept for key in phrase.weights})
    rarity = Rarity(len(criteria), usage, asked)
    criteria = [replace(known, profile=profile_of(known.criterion, rarity)) for known in criteria]
    common = frozenset[str]().union(*(known.terms for known in criteria))
    misconceptions = tuple(
        ReadyMisconception(
            shown,
            tuple(_phrase(text, asked, common) for text in shown.accept),
            tuple(_phrase(text, asked) for text in shown.refute),
            middle((read_phrase(text) for text in shown.accept), rarity),
        )
        for shown in rubric.misconceptions
    )
    return ReadyRubric(tuple(criteria), misconceptions, asked, pairs(read_phrase(question)), vocabulary(texts), rarity)


def profile_of(criterion: Criterion, rarity: Rarity) -> Profile:
    """What the texts that say what a criterion asks for have in common."""
    return middle((read_phrase(text) for text in (*criterion.accept, criterion.description)), rarity)


def _stand_ins(groups: Sequence[Sequence[Keys]]) -> dict[str, tuple[str, ...]]:
    """Key -> the single terms of its groups that may stand for it.

    Two concepts of the lexicon never stand for each other: they are known to differ, however a rubric groups them.
    """
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        single = tuple(dict.fromkeys(term[0] for term in group if len(term) == 1))
        for key in single:
            others = (other for other in single if other != key and not key[0] == other[0] == "~")
            found[key] = (*found.get(key, ()), *others)
    return found


def _stands(words: Sequence[Word], term: Keys, at: int) -> bool:
    """Whether a term begins at a word of its first key: its keys in a row, function words between them allowed."""
    matched, position = 1, at + 1
    while matched < len(term) and position < len(words):
        if words[position].key == term[matched]:
            matched += 1
        elif words[position].content:
            return False
        position += 1
    return matched == len(term)


def by_key(words: Sequence[Word]) -> dict[str, Word]:
    """The first content word of each key."""
    return {word.key: word for word in reversed(words) if word.content}


def _cover(
    phrase: Phrase,
    held: Mapping[str, Word],
    stand_ins: Mapping[str, tuple[str, ...]],
    stood: Set[str],
    least: float,
) -> Support:
    """How much of a phrase the words hold, its *same* or *differ* weighing most; nothing where not above ``least``.

    ``stood``: the keys that are not held, but stood in for.
    """
    weights, total = phrase.weights, phrase.total
    gained = fsum([weights[key] for key in phrase.keys & held.keys()])  # a set has no order, and a plain sum depends on it
    most = GROUP_WEIGHT * fsum([weights[key] for key in phrase.keys & stood]) if stood else 0.0
    if not total or gained + most <= least * total:
        return NOTHING
    missing = [(key, weight) for key, weight in weights.items() if key not in held]
    used = [held[key] for key in phrase.weights if key in held]
    factor = 1.0
    for key, weight in missing:
        if key in OPPOSITE:
            factor = OPPOSED if OPPOSITE[key] in held else UNSAID
        if RIVAL.get(key) in held and not (key == "~same" and "~differ" in phrase.weights):
            factor = min(factor, OPPOSED)
        for other in stand_ins.get(key, ()):
            if other in held and held[other] not in used:
                gained += GROUP_WEIGHT * weight
                used.append(held[other])
                break
    said = {word.key for word in used}
    if 2 * len(phrase.telling & said) < len(phrase.telling) or not phrase.subject <= said:
        factor *= UNSAID
    return Support(gained / total * factor, tuple(dict.fromkeys(used)), phrase)


MOST_KNOWN = 4096
_KNOWN: dict[tuple[int, int, int], tuple[Sequence[Phrase], Sequence[Word], Mapping[str, tuple[str, ...]], Support]] = {}
"""What was asked last. Each entry holds its phrases and words, so that no others can come to have their identity."""


def best_phrase(
    phrases: Iterable[Phrase], words: Sequence[Word], stand_ins: Mapping[str, tuple[str, ...]] = NO_STAND_INS
) -> Support:
    """The best covered of some phrases; remembered where both are tuples, since the same words are asked about many times."""
    if not (isinstance(phrases, tuple) and isinstance(words, tuple)):
        return _best(phrases, words, stand_ins)
    place = id(phrases), id(words), id(stand_ins)
    known = _KNOWN.get(place)
    if known is not None and known[0] is phrases and known[1] is words and known[2] is stand_ins:
        return known[3]
    found = _best(phrases, words, stand_ins)
    if len(_KNOWN) >= MOST_KNOWN:
        _KNOWN.clear()
    _KNOWN[place] = phrases, words, stand_ins, found
    return found


def _best(phrases: Iterable[Phrase], words: Sequence[Word], stand_ins: Mapping[str, tuple[str, ...]]) -> Support:
    held = by_key(words)
    keys = held.keys()
    stood = {key for key, others in stand_ins.items() if key not in held and not keys.isdisjoint(others)}
    told: Order | None = None
    best = NOTHING
    for phrase in phrases:
        found = _cover(phrase, held, stand_ins, stood, best.strength)
        if found.strength <= best.strength:
            continue
        if phrase.order:
            told = order(words) if told is None else told
            if reversed_in(phrase.order, told):
                found = Support(found.strength * OPPOSED, found.words, phrase)
        if found.strength > best.strength:
            best = found
    return best


def to_the_point(found: Support, words: Iterable[Word]) -> bool:
    """Whether a wrong claim is what the words are about.

    A phrase with telling words is known by them; one that is made of the question's terms alone may only be touched in passing.
    """
    if found.phrase is None or found.phrase.telling:
        return True
    return len(found.words) >= POINT * len({word.key for word in words if word.content})


def cover_groups(groups: Sequence[Sequence[Keys]], words: Sequence[Word]) -> tuple[float, tuple[Word, ...]]:
    """The share of the groups that the words cover, and the words: the tightest ones where all groups are covered."""
    if not groups:
        return 0.0, ()
    first_keys: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        first_keys.setdefault(word.key, []).append(at)
    hits = sorted(
        {
            (at, number)
            for number, group in enumerate(groups)
            for term in group
            for at in first_keys.get(term[0], ())
            if _stands(words, term, at)
        }
    )
    covered = {number for _, number in hits}
    if len(covered) < len(groups):
        first = {number: at for at, number in reversed(hits)}
        return len(covered) / len(groups), tuple(words[at] for at in sorted(set(first.values())))
    best: tuple[int, list[int]] | None = None
    for index, (start, _) in enumerate(hits):
        seen: list[tuple[int, int]] = []
        for at, number in hits[index:]:
            if at - start > MAX_SPREAD or (best is not None and at - start >= best[0]):
                break
            seen.append((at, number))
            chosen = _one_each(seen, len(groups))
            if chosen is not None:
                best = at - start, sorted(chosen)
                break
    if best is None:
        return (len(groups) - 1) / len(groups), ()
    return 1.0, tuple(words[at] for at in best[1])


def _one_each(hits: Sequence[tuple[int, int]], groups: int) -> list[int] | None:
    """A word of its own for each group, since one word can't stand for two concepts; ``None`` where there is no such choice."""
    taken: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for at, owner in hits:
            if owner == number and at not in tried:
                tried.add(at)
                if at not in taken or place(taken[at], tried):
                    taken[at] = number
                    return True
        return False

    if len({number for _, number in hits}) < groups:
        return None
    return list(taken) if all(place(number, set()) for number in range(groups)) else None
