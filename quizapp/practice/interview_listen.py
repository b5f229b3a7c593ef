"""Which misconceptions an answer sounds like, of all that the registry describes: a suspicion to be tested, never a finding.

The score of likeness is Okapi BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, eq. 3.15) over the
registry's texts and the phrases that the library's rubrics and options give for each. No points hang on it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from math import log

from quizapp.bank.load import Library
from quizapp.model.question import ChoicePart
from quizapp.practice.interview_plan import rubrics
from quizapp.scoring.words import read_words

K1, B = 1.2, 0.5
FEWEST_WORDS = 3
"""Fewer content words say nothing."""
STRONGEST = 40.0
"""How many times likelier an answer can make a misconception, where it has all of its words."""
_SLOT = re.compile(r"\{\{.*?\}\}")


def _keys(text: str) -> list[str]:
    return [word.key for word in read_words(_SLOT.sub(" ", text)) if word.content]


class Listener:
    """The texts of some misconceptions, ready to be compared with answers."""

    def __init__(self, library: Library, misconceptions: Iterable[str]) -> None:
        texts: dict[str, list[str]] = {}
        for id_ in sorted(frozenset(misconceptions)):
            known = library.registry.get(id_)
            texts[id_] = [] if known is None else [known.title, known.title, known.computes, known.why]
        for loaded in library.items.values():
            for rubric in rubrics(loaded):
                for shown in rubric.misconceptions:
                    texts.get(shown.id, []).extend(shown.accept)
            for part in loaded.item.parts:
                for choice in part.choices if isinstance(part, ChoicePart) else ():
                    texts.get(choice.misconception or "", []).append(choice.text or "")
        self._counts = {id_: Counter(_keys("\n".join(parts))) for id_, parts in texts.items()}
        self._lengths = {id_: sum(counts.values()) for id_, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / len(self._lengths) if self._lengths else 1.0
        spread = Counter(key for counts in self._counts.values() for key in counts)
        self._weights = {key: log(1 + (len(texts) - seen + 0.5) / (seen + 0.5)) for key, seen in spread.items()}
        self._heard: dict[str, dict[str, float]] = {}

    def _score(self, id_: str, keys: Iterable[str]) -> float:
        counts = self._counts[id_]
        long = K1 * (1 - B + B * self._lengths[id_] / self._mean)
        return sum(self._weights[key] * counts[key] * (K1 + 1) / (counts[key] + long) for key in keys if key in counts)

    def likeness(self, text: str) -> dict[str, float]:
        """Misconception -> how many times likelier the text is from somebody who holds it; empty where it says too little."""
        if text not in self._heard:
            self._heard[text] = self._compare(text)
        return self._heard[text]

    def _compare(self, text: str) -> dict[str, float]:
        keys = sorted(set(_keys(text)))
        if len(keys) < FEWEST_WORDS or not self._counts:
            return {}
        scores = {id_: self._score(id_, keys) for id_ in self._counts}
        top = max(scores.values())
        possible = sum(self._weights.get(key, max(self._weights.values())) for key in keys) * (K1 + 1)
        if not top or not possible:
            return {}
        share = top / possible
        return {id_: max(0.5, STRONGEST * share * (score / top) ** 4) for id_, score in scores.items()}
