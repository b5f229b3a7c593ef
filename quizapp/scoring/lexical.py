"""The lexical tier: how far a part of an answer covers a criterion's phrases and concept groups, word by word.

Here: a rubric made ready, and the strength of support between 0 and 1 with the words that give it. Not here: what follows from
it for points (``quizapp.scoring.text``). Another tier has to give the same :class:`Support`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import fsum

from quizapp.model.rubric import Criterion, Rubric, ShownMisconception
from quizapp.scoring.clauses import says_needless
from quizapp.scoring.groups import Groups, Keys
from quizapp.scoring.lexicon import DISTANCED, INABILITY, OPPOSITE, RIVAL
from quizapp.scoring.order import NO_ORDER, TELLING, Order, reversed_in
from quizapp.scoring.profile import Profile, Rarity, middle
from quizapp.scoring.wording import Wording, negated, pairs, scope, wording
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
ROUNDING = 1e-9
"""More than by which two sums of the same weights differ."""

NO_STAND_INS: Mapping[str, Keys] = {}
SUBJECTS = frozenset({"~framework"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a rubric, made ready."""

    text: str
    weights: Mapping[str, float]
    """Key -> weight of its content words."""
    negated: bool
    """A negator or an inability stands in it."""
    denies: bool = False
    """It denies something, or calls it wrong, and not both."""
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
    contrasting: Keys = field(init=False)
    """Its keys of which something may say the contrary."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", fsum(self.weights.values()))
        object.__setattr__(self, "contrasting", tuple(key for key in self.weights if key in OPPOSITE or key in RIVAL))


@dataclass(frozen=True, eq=False)
class Phrases:
    """Phrases that are asked about together."""

    all: tuple[Phrase, ...] = ()
    stand_ins: Mapping[str, Keys] = field(default_factory=dict)
    """Key -> others of its groups, which may stand for it."""
    strictly: Phrases | None = None
    """The same ones without those."""

    def __iter__(self) -> Iterator[Phrase]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    @cached_property
    def index(self) -> Mapping[str, Sequence[tuple[int, float]]]:
        """Key -> the positions of the phrases that hold it, and its weight in each."""
        found: dict[str, list[tuple[int, float]]] = {}
        for at, phrase in enumerate(self.all):
            for key, weight in phrase.weights.items():
                found.setdefault(key, []).append((at, weight))
        return found

    @cached_property
    def matter(self) -> frozenset[str]:
        """The keys on which it depends how well something covers them."""
        keys = self.index.keys()
        changing = {other for key in keys for other in (OPPOSITE.get(key), RIVAL.get(key)) if other is not None}
        return frozenset(keys).union(changing, *(self.stand_ins.get(key, ()) for key in keys))

    def stood_for(self, held: Set[str]) -> list[str]:
        """The keys that aren't held, and for which others stand."""
        return [key for key, others in self.stand_ins.items() if key not in held and not held.isdisjoint(others)]

    @cached_property
    def with_denial(self) -> bool:
        """Whether one of them denies some of its own words."""
        return any(phrase.negated and phrase.denied for phrase in self)

    @cached_property
    def orders(self) -> Sequence[Order]:
        """The orders in time that they tell."""
        return [phrase.order for phrase in self if phrase.order]

    @cached_property
    def negated(self) -> Mapping[bool, Phrases]:
        """Those that are negated, and those that aren't."""
        return {negated: Phrases(tuple(phrase for phrase in self if phrase.negated == negated)) for negated in (True, False)}

    @cached_property
    def denies(self) -> Mapping[bool, Phrases]:
        """Those that deny, and those that don't."""
        return {denies: Phrases(tuple(phrase for phrase in self if phrase.denies == denies)) for denies in (True, False)}


@dataclass(frozen=True, slots=True, eq=False)
class ReadyCriterion:
    criterion: Criterion
    accept: Phrases
    reject: Phrases
    freely: Phrases
    """The accept phrases, others of a group standing in."""
    groups: Groups
    terms: frozenset[str]
    """Every key of the groups and the accept phrases."""
    described: Phrases = field(default_factory=Phrases)
    """What the description says, sentence by sentence; it supports nothing, but what it denies may be denied."""
    profile: Profile = field(default_factory=Profile)
    """What its accept phrases and its description have in common."""

    @property
    def threshold(self) -> float:
        return self.criterion.threshold or MET


@dataclass(frozen=True, slots=True, eq=False)
class ReadyMisconception:
    shown: ShownMisconception
    accept: Phrases
    refute: Phrases
    profile: Profile = field(default_factory=Profile)
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
    terms: frozenset[str] = field(init=False)
    """Keys of the question and of all criteria."""
    profiles: tuple[Profile, ...] = field(init=False)
    """Of all criteria and misconceptions."""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "profiles", (*(known.profile for known in self.criteria), *(known.profile for known in self.misconceptions))
        )
        object.__setattr__(self, "terms", self.question.union(*(known.terms for known in self.criteria)))


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


def _phrases(texts: Iterable[str], question: frozenset[str], right: frozenset[str] | None = None) -> Phrases:
    """``right``, for phrases that say something wrong: the keys that right claims use too."""
    return Phrases(tuple(_phrase(text, question, right) for text in texts))


def _phrase(text: str, question: frozenset[str], right: frozenset[str] | None) -> Phrase:
    whole = read_phrase(text)
    words = Wording(word for word in whole if not word.foil)
    weights = {word.key: QUESTION_WEIGHT if word.key in question else 1.0 for word in words if word.content}
    return Phrase(
        text,
        weights,
        words.negated,
        negated(whole) != any(word.text in DISTANCED for word in whole),
        denied=frozenset(word.key for at, negator in enumerate(words) if negator.negator for word in scope(words, at)),
        needless=says_needless(text),
        order=words.told if any(word.text in TELLING for word in words) else NO_ORDER,
        telling=frozenset() if right is None else frozenset(weights) - right - question,
        subject=frozenset() if right is None else frozenset(weights) & SUBJECTS,
        unable=frozenset(word.key for at, other in enumerate(words) if other.text in INABILITY for word in scope(words, at)),
    )


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
        accept = _phrases(criterion.accept, asked)
        groups = tuple(
            tuple(keys for term in group if (keys := tuple(word.key for word in read_phrase(term)))) for group in criterion.groups
        )
        terms = frozenset(key for group in groups for term in group for key in term) | accept.index.keys()
        stand_ins = _stand_ins(groups)
        freely = Phrases(accept.all, stand_ins, accept) if stand_ins else accept
        reject = _phrases(criterion.reject, asked, terms)
        described = _phrases((text for text in re.split(r"[.;:]\s+", criterion.description) if text.strip()), asked)
        criteria.append(ReadyCriterion(criterion, accept, reject, freely, Groups(groups), terms, described))
    usage = Counter(key for known in criteria for key in known.accept.index)
    rarity = Rarity(len(criteria), usage, asked)
    criteria = [replace(known, profile=profile_of(known.criterion, rarity)) for known in criteria]
    common = frozenset[str]().union(*(known.terms for known in criteria))
    misconceptions = tuple(
        ReadyMisconception(
            shown,
            _phrases(shown.accept, asked, common),
            _phrases(shown.refute, asked),
            middle((read_phrase(text) for text in shown.accept), rarity),
        )
        for shown in rubric.misconceptions
    )
    return ReadyRubric(tuple(criteria), misconceptions, asked, pairs(read_phrase(question)), vocabulary(texts), rarity)


def profile_of(criterion: Criterion, rarity: Rarity) -> Profile:
    """What the texts that say what a criterion asks for have in common."""
    return middle((read_phrase(text) for text in (*criterion.accept, criterion.description)), rarity)


def _stand_ins(groups: Sequence[Sequence[Keys]]) -> dict[str, Keys]:
    """Key -> the single terms of its groups that may stand for it.

    Two concepts of the lexicon never stand for each other: they are known to differ, however a rubric groups them.
    """
    found: dict[str, Keys] = {}
    for group in groups:
        single = tuple(dict.fromkeys(term[0] for term in group if len(term) == 1))
        for key in single:
            others = (other for other in single if other != key and not key[0] == other[0] == "~")
            found[key] = (*found.get(key, ()), *others)
    return found


def _gained(phrase: Phrase, held: Set[str], stand_ins: Mapping[str, Keys]) -> tuple[float, Keys]:
    """How much of a phrase some keys cover, its *same* or *differ* weighing most; and those that give it."""
    weights = phrase.weights
    used = [key for key in weights if key in held]
    gained = fsum([weights[key] for key in used])
    factor = 1.0
    for key in phrase.contrasting:
        if key in held:
            continue
        if key in OPPOSITE:
            factor = OPPOSED if OPPOSITE[key] in held else UNSAID
        if RIVAL.get(key) in held and not (key == "~same" and "~differ" in weights):
            factor = min(factor, OPPOSED)
    if stand_ins:
        for key in [key for key in weights if key in stand_ins and key not in held]:
            other = next((other for other in stand_ins[key] if other in held and other not in used), None)
            if other is not None:
                gained += GROUP_WEIGHT * weights[key]
                used.append(other)
    if 2 * len(phrase.telling.intersection(used)) < len(phrase.telling) or not phrase.subject.issubset(used):
        factor *= UNSAID
    return gained / (phrase.total or 1.0) * factor, tuple(used)


@dataclass(frozen=True, slots=True)
class Covered:
    """How well some keys cover some phrases."""

    gains: Sequence[float]
    """The weight of each phrase that they cover at most: less where one key would stand in for two."""
    shares: Sequence[float]
    """The same as a share of the phrase; less yet where another thing is wrong."""
    strength: float = 0.0
    """Of the best covered one, the first of equals."""
    phrase: Phrase | None = None
    keys: Keys = ()
    """Those that cover it."""
    plain: Covered | None = None
    """The same without stand-ins, where there are any."""

    @property
    def strictly(self) -> Covered:
        """How well the keys cover the phrases without stand-ins."""
        return self.plain or self


@lru_cache(maxsize=2048)
def _covered(phrases: Phrases, keys: frozenset[str], told: Order) -> Covered:
    """Remembered: most windows hold few of a rubric's keys, and the same few as others."""
    plain = None
    if phrases.strictly is None:
        gains: Sequence[float] = _sums(phrases, keys)
    else:
        plain, stood = _covered(phrases.strictly, keys & phrases.strictly.matter, told), phrases.stood_for(keys)
        if not stood:
            return plain
        gains = [own + GROUP_WEIGHT * other for own, other in zip(plain.gains, _sums(phrases, stood), strict=True)]
    shares = [gain / phrase.total if gain else 0.0 for gain, phrase in zip(gains, phrases, strict=True)]
    most = max(shares, default=0.0)
    if not most:
        return Covered(gains, shares, plain=plain)

    def strength_of(at: int) -> tuple[float, Keys]:
        phrase = phrases.all[at]
        strength, by = _gained(phrase, keys, phrases.stand_ins)
        return strength * OPPOSED if phrase.order and reversed_in(phrase.order, told) else strength, by

    likeliest = shares.index(most)
    found = {likeliest: strength_of(likeliest)}
    enough = found[likeliest][0] - ROUNDING
    best, strength = None, 0.0
    keys_used: Keys = ()
    for at in [at for at, share in enumerate(shares) if share >= enough]:
        phrase = phrases.all[at]
        if gains[at] > strength * phrase.total:
            reached, by = found.get(at) or strength_of(at)
            if reached > strength:
                best, strength, keys_used = phrase, reached, by
    return Covered(gains, shares, strength, best, keys_used, plain)


def _sums(phrases: Phrases, keys: Iterable[str]) -> list[float]:
    """The weight of some keys in each phrase."""
    found: list[list[float]] = [[] for _ in phrases]
    for key in keys:
        for at, weight in phrases.index.get(key, ()):
            found[at].append(weight)
    return [fsum(weights) for weights in found]  # a set has no order, and a plain sum depends on it


def covered(phrases: Phrases, words: Wording) -> Covered:
    """How well some words cover some phrases."""
    known: Covered | None = words.answers.get(phrases)
    if known is None:
        held, told = phrases.matter.intersection(words.held), words.told if phrases.orders else NO_ORDER
        known = words.answers[phrases] = _covered(phrases, held, told)
    return known


def best_phrase(phrases: Phrases, words: Sequence[Word]) -> Support:
    """The best covered of some phrases."""
    words = wording(words)
    found = covered(phrases, words)
    if found.phrase is None:
        return NOTHING
    return Support(found.strength, tuple([words.held[key] for key in found.keys]), found.phrase)


def cover(phrase: Phrase, words: Wording, stand_ins: Mapping[str, Keys] = NO_STAND_INS) -> Support:
    """How well some words cover a phrase."""
    strength, keys = _gained(phrase, words.held.keys(), stand_ins)
    if reversed_in(phrase.order, words.told):
        strength *= OPPOSED
    return Support(strength, tuple(words.held[key] for key in keys), phrase)


def to_the_point(found: Support, words: Wording) -> bool:
    """Whether a wrong claim is what the words are about.

    A phrase with telling words is known by them; one that is made of the question's terms alone may only be touched in passing.
    """
    if found.phrase is None or found.phrase.telling:
        return True
    return len(found.words) >= POINT * len(words.held)
