"""What all that a criterion's texts say has in common, and how alike some words are to that.

Here: a likeness that no single phrase gives. An answer may take a word from one accepted phrase and the next from another, or
bend it (*accumulate*, *accumulation*), so words count by their parts, and by how few of the rubric's criteria they belong to.
Not here: order and polarity, to which it is blind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from quizapp.scoring.wording import wording
from quizapp.scoring.words import Word

Profile = Mapping[str, float]
"""Part of a word -> its weight. A profile has length 1, or is empty."""

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
    return {part: value / length for part, value in sums.items()} if length else {}


def profile(words: Iterable[Word], rarity: Rarity) -> Profile:
    """The profile of some words."""
    words = wording(words)
    known: Profile | None = words.answers.get(rarity)
    if known is None:
        known = words.answers[rarity] = _profile(words, rarity)
    return known


def _profile(words: Iterable[Word], rarity: Rarity) -> Profile:
    sums: dict[str, float] = {}
    for word in words:
        if word.content:
            found = parts(word.text)
            weight = rarity(word.key) / math.sqrt(len(found))
            for part in found:
                sums[part] = sums.get(part, 0.0) + weight
    return _unit(sums)


def middle(texts: Iterable[Sequence[Word]], rarity: Rarity) -> Profile:
    """The profile that several texts have in common, each counting alike."""
    sums: dict[str, float] = {}
    for words in texts:
        for part, value in profile(words, rarity).items():
            sums[part] = sums.get(part, 0.0) + value
    return _unit(sums)


def alike(one: Profile, other: Profile) -> float:
    """The cosine of two profiles, between 0 and 1."""
    few, many = sorted((one, other), key=len)
    return sum(value * many[part] for part, value in few.items() if part in many)
