"""What the semantic tier measures beside the lexical support: how near the encoder's states of a window are to a criterion's texts.

Here: likeness of an encoded answer to phrases and description. What it is worth is ``quizapp.scoring.outcome``. The encoder
itself is loaded elsewhere, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from quizapp.scoring.clauses import Clause, Window
from quizapp.scoring.lexical import ReadyCriterion, ReadyRubric, Support
from quizapp.scoring.semantic.alignment import Block, Text, block, joined, recalls, weighted
from quizapp.scoring.semantic.encoder import Encoder
from quizapp.scoring.support import LexicalReader
from quizapp.scoring.words import read_phrase, read_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Means = NDArray[np.float32]

FEATURES = ("cosine of the nearest phrases", "recall of the nearest phrases")
"""The names of what :meth:`SemanticReader.likeness` gives."""
NEAREST = 3
"""Phrases whose likeness counts: one alone may be near by chance."""
MOST_WORDS = 60
RUN_WORDS = 40
"""Words from which a run of sentences is closed."""
UNLIKE = (0.0, 0.0)
HOPELESS = 0.25
"""Lexical support below which no likeness makes a claim: no states are computed."""


@dataclass(frozen=True, slots=True)
class _Encoded:
    """A criterion's texts, encoded."""

    means: Means
    """(phrases, 384): the mean state of each accepted phrase, of length 1."""
    phrases: Block


class SemanticReader:
    """One answer, encoded a few sentences at a time, where it comes to that."""

    def __init__(self, encoder: Encoder, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> None:
        self._encoder, self._lexical, self._answer = encoder, LexicalReader(rubric), answer
        self._parts: dict[tuple[int, int], Text] = {}
        self._runs = _runs(clauses)
        self._encoded: dict[tuple[int, int], Text] = {}

    def _part(self, window: Window) -> Text:
        known = self._parts.get((window.first, window.last))
        if known is not None:
            return known
        parts = []
        for clause in window.clauses:
            run = self._runs[clause.sentence]
            if run not in self._encoded:
                self._encoded[run] = _text(self._encoder, self._answer[run[0] : run[1]])
            parts.append(self._encoded[run].part(clause.start - run[0], clause.end - run[0]))
        self._parts[window.first, window.last] = joined(parts)
        return self._parts[window.first, window.last]

    def likeness(self, known: ReadyCriterion, window: Window) -> tuple[float, float]:
        """Mean cosine of the window and the phrases nearest to it, and how well its tokens cover those that they cover best."""
        if len(window.words) > MOST_WORDS:
            return UNLIKE
        part = self._part(window)
        if not part.weights.sum():
            return UNLIKE
        encoded = _encoded(self._encoder, known.criterion.accept)
        mean = part.encoded.states.mean(axis=0)
        near = encoded.means @ mean / max(float((mean @ mean) ** 0.5), 1e-9)
        return _nearest(near.tolist()), _nearest(recalls(encoded.phrases, part))

    def measure(self, known: ReadyCriterion, window: Window) -> tuple[Support, tuple[float, ...]]:
        """Support and all likenesses; those of states are nought where the words are about something else."""
        support, lexical = self._lexical.measure(known, window)
        hopeless = support.strength < HOPELESS
        return support, (*lexical, *(UNLIKE if hopeless else self.likeness(known, window)))


def _nearest(found: Sequence[float]) -> float:
    best = sorted(found)[-NEAREST:]
    return sum(best) / len(best) if best else 0.0


def _runs(clauses: Sequence[Clause]) -> Mapping[int, tuple[int, int]]:
    """Sentence -> start and end of the sentences that are encoded with it: a run of few words takes as long as a longer one."""
    found: dict[int, tuple[int, int]] = {}
    members: list[int] = []
    start = words = 0
    for clause in clauses:
        if clause.sentence not in members:
            if words >= RUN_WORDS:
                members, words = [], 0
            if not members:
                start = clause.start
            members.append(clause.sentence)
        words += len(clause.words)
        found |= dict.fromkeys(members, (start, clause.end))
    return found


def _text(encoder: Encoder, text: str) -> Text:
    content = [(word.start, word.end) for word in read_words(text) if word.content]
    return weighted(text, encoder.encode([text])[0], content)


def _phrase(encoder: Encoder, text: str) -> Text:
    content = [(word.start, word.end) for word in read_phrase(text) if word.content]
    return weighted(text, encoder.encode([text])[0], content)


def _mean(text: Text) -> Means:
    import numpy as np

    states = text.encoded.states
    mean = states.mean(axis=0) if len(states) else np.zeros(384, np.float32)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)


@lru_cache(maxsize=1024)
def _encoded(encoder: Encoder, accept: tuple[str, ...]) -> _Encoded:
    """A criterion's encoded phrases; remembered, since a class answers one question many times."""
    import numpy as np

    texts = [_phrase(encoder, text) for text in accept]
    means = [_mean(text) for text in texts] or [np.zeros(384, np.float32)]
    return _Encoded(np.stack(means), block(texts))
