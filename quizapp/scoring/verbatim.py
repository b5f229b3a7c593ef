"""Sentences of an answer that are an accepted phrase of the rubric, word for word: its author said that these meet it.

Here: where such sentences stand. Not here: what may still speak against them later in the answer (``quizapp.scoring.text``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from quizapp.scoring.claims import Claim, spans_of
from quizapp.scoring.clauses import Clause, window
from quizapp.scoring.lexical import Phrases, ReadyRubric, Support
from quizapp.scoring.words import Word, read_phrase

FEWEST = 4
"""Words of a phrase below which a sentence that is nothing else may be a heading."""


def word_for_word(rubric: ReadyRubric, clauses: Sequence[Clause]) -> Mapping[int, Claim]:
    """Position of a criterion -> the last sentence that is one of its accepted phrases."""
    found: dict[int, Claim] = {}
    for _, places in groupby(range(len(clauses)), key=lambda at: clauses[at].sentence):
        first, *rest = places
        last = rest[-1] if rest else first
        words = window(clauses, first, last).words
        said = _texts(words)
        for at, known in enumerate(rubric.criteria):
            if said in _phrases(known.accept):
                found[at] = Claim(Support(1.0, tuple(words)), first, last, spans_of(words, words))
    return found


@lru_cache(maxsize=1024)
def _phrases(accepted: Phrases) -> frozenset[tuple[str, ...]]:
    said = (_texts(read_phrase(phrase.text)) for phrase in accepted)
    return frozenset(texts for texts in said if len(texts) >= FEWEST)


def _texts(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.text for word in words)
