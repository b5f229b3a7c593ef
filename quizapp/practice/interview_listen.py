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
from quizapp.practice.interview_belief import Heard
from quizapp.practice.interview_plan import rubrics
from quizapp.scoring.words import read_words

K1, B = 1.2, 0.75
OF_TITLE, OF_TEXTS, MOST_PHRASES = 3, 2, 12
"""Times that the registry's title and its texts count, and phrases of each rubric that do: with more, what rubrics speak of much
sounds like everything."""
FEWEST_WORDS = 3
"""Fewer content words say nothing."""
FOUND_AT = (0.50, 0.21, 0.10, 0.02, 0.02, 0.01, 0.01, 0.01)
REST = 0.12
"""How often somebody's misconception comes first, second and so on among all, once it is voiced; the rest for all other places."""
SURE = 0.9
"""A sentence that sounds wholly like a wrong idea may still voice none."""
UNVOICED, VOICED, OPENLY = 0.18, 0.38, 0.5
"""Share of a sentence's words, by weight, that the nearest text has: up to the one it voices nothing, from the other on it does.
The third: how likely a sentence voices something where the question asks for the candidate's own ways.

These figures were read off the second wordings of ``benchmarks/candidates`` and the right answers of ``benchmarks/answers``."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_SLOT = re.compile(r"\{\{.*?\}\}")


def _keys(text: str) -> list[str]:
    return [word.key for word in read_words(_SLOT.sub(" ", text)) if word.content]


class Listener:
    """The texts of some misconceptions, ready to be compared with answers."""

    def __init__(self, library: Library, misconceptions: Iterable[str]) -> None:
        texts: dict[str, list[str]] = {}
        for id_ in sorted(frozenset(misconceptions)):
            known = library.registry.get(id_)
            texts[id_] = [] if known is None else [*[known.title] * OF_TITLE, *[known.computes, known.why] * OF_TEXTS]
        for loaded in library.items.values():
            for rubric in rubrics(loaded):
                for shown in rubric.misconceptions:
                    texts.get(shown.id, []).extend(shown.accept[:MOST_PHRASES])
            for part in loaded.item.parts:
                for choice in part.choices if isinstance(part, ChoicePart) else ():
                    texts.get(choice.misconception or "", []).append(choice.text or "")
        self._counts = {id_: Counter(_keys("\n".join(parts))) for id_, parts in texts.items()}
        self._lengths = {id_: sum(counts.values()) for id_, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / len(self._lengths) if self._lengths else 1.0
        spread = Counter(key for counts in self._counts.values() for key in counts)
        self._weights = {key: log(1 + (len(texts) - seen + 0.5) / (seen + 0.5)) for key, seen in spread.items()}
        # A word that no text has tells little: neither that something is voiced nor that nothing is.
        self._unknown = sum(self._weights.values()) / max(len(self._weights), 1) / 2
        self._heard: dict[tuple[str, bool], tuple[Heard, ...]] = {}

    def _score(self, id_: str, keys: Iterable[str]) -> float:
        counts = self._counts[id_]
        long = K1 * (1 - B + B * self._lengths[id_] / self._mean)
        return sum(self._weights[key] * counts[key] * (K1 + 1) / (counts[key] + long) for key in keys if key in counts)

    def heard(self, text: str, *, openly: bool = False) -> tuple[Heard, ...]:
        """Of each sentence that voices something, what it may voice.

        ``openly``: it answers a question about the candidate's own ways, where a wrong idea is likelier to come out.
        """
        if (text, openly) not in self._heard:
            sentences = (self._of_sentence(sentence, openly) for sentence in _SENTENCE.split(text))
            self._heard[text, openly] = tuple(heard for heard in sentences if heard)
        return self._heard[text, openly]

    def _of_sentence(self, sentence: str, openly: bool) -> Heard:
        keys = sorted(set(_keys(sentence)))
        if len(keys) < FEWEST_WORDS or not self._counts:
            return {}
        scores = {id_: self._score(id_, keys) for id_ in self._counts}
        possible = sum(self._weights.get(key, self._unknown) for key in keys) * (K1 + 1)
        share = max(scores.values()) / possible if possible else 0.0
        voiced = min(max((share - UNVOICED) / (VOICED - UNVOICED), OPENLY if openly else 0.0), 1.0)
        if not voiced:
            return {}
        ordered = sorted(scores, key=lambda id_: (-scores[id_], id_))
        rest = REST / max(len(ordered) - len(FOUND_AT), 1)
        places = [*FOUND_AT[: len(ordered)], *[rest] * (len(ordered) - len(FOUND_AT))]
        whole = sum(places)
        return {id_: SURE * voiced * place / whole for id_, place in zip(ordered, places, strict=True)}
