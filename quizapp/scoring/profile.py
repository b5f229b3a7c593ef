"""What all that a criterion's texts say has in common, and how alike some words are to that.

Here: a likeness that no single phrase gives. An answer may take a word from one accepted phrase and the next from another, or
bend it (*accumulate*, *accumulation*), so words count by their parts, and by how few of the rubric's criteria they belong to.
Not here: order and polarity, to which it is blind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from quizapp.scoring.wording import Wording, wording
from quizapp.scoring.words import Word


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Part of a word -> its weight."""

    weights: Mapping[str, float] = field(default_factory=dict)


PART = 4
"""Letters of a part."""
ASKED = 0.4
"""Weight, against 1, of a word that the question itself holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """How much a word tells one criterion of a rubric from the others."""

    criteria: int = 1
    usage: Mapping[str, int] = field(default_factory=dict)
    """Key -> criteria whose phrases use it."""
    question: frozenset[str] = frozenset()

    def __call__(self, key: str) -> float:
        """The inverse document frequency of a key, a criterion's phrases being one document."""
        rare = math.log((self.criteria + 1) / (self.usage.get(key, 1) + 0.5))
        return rare * ASKED if key in self.question else rare


@lru_cache(maxsize=16384)
def parts(word: str) -> tuple[str, ...]:
    """The runs of four signs of a word with its ends marked; a shorter one whole."""
    marked = f"^{word}$"
    return tuple(marked[at : at + PART] for at in range(max(1, len(marked) - PART + 1)))


def _unit(sums: Mapping[str, float]) -> Profile:
    length = math.sqrt(sum(value * value for value in sums.values()))
    return Profile({part: value / length for part, value in sums.items()} if length else {})


def weighed(words: Wording, rarity: Rarity) -> Profile:
    """The parts of some words, each as heavy as its word is rare."""
    known: Profile | None = words.answers.get(rarity)
    if known is None:
        sums: dict[str, float] = {}
        for word in words:
            if word.content:
                found = parts(word.text)
                weight = rarity(word.key) / math.sqrt(len(found))
                for part in found:
                    sums[part] = sums.get(part, 0.0) + weight
        known = words.answers[rarity] = Profile(sums)
    return known


def middle(texts: Iterable[Iterable[Word]], rarity: Rarity) -> Profile:
    """The profile, of length 1, that several texts have in common, each counting alike."""
    sums: dict[str, float] = {}
    for words in texts:
        for part, value in _unit(weighed(wording(words), rarity).weights).weights.items():
            sums[part] = sums.get(part, 0.0) + value
    return _unit(sums)


def alike(words: Wording, rarity: Rarity, profiles: tuple[Profile, ...]) -> Mapping[Profile, float]:
    """The cosine, between 0 and 1, of what words say and each of some profiles of length 1.

    Products of sums are sums of products, so a clause is compared once, whatever window it stands in.
    """
    known: Mapping[Profile, float] | None = words.answers.get(profiles)
    if known is None:
        parts = words.parts or (words,)
        sums = [weighed(part, rarity) for part in parts]
        length = math.sqrt(sum([_product(part, rarity, other) for part in parts for other in sums])) or 1.0
        known = {profile: sum([_product(part, rarity, profile) for part in parts]) / length for profile in profiles}
        words.answers[profiles] = known
    return known


def _product(words: Wording, rarity: Rarity, profile: Profile) -> float:
    """The scalar product of some words and a profile."""
    known: float | None = words.answers.get(profile)
    if known is None:
        few, many = sorted((weighed(words, rarity).weights, profile.weights), key=len)
        known = words.answers[profile] = sum(value * many[part] for part, value in few.items() if part in many)
    return known
