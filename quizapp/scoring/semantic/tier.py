"""The semantic tier's measure of support: the lexical one, moved by how well the tokens of a window cover the criterion's texts.

Here: what an encoded answer adds to :func:`quizapp.scoring.lexical.support`. The encoder itself is loaded elsewhere, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from quizapp.scoring.clauses import Clause, Window
from quizapp.scoring.lexical import ReadyCriterion, Support, support
from quizapp.scoring.semantic.alignment import Block, Text, block, joined, recalls, weighted
from quizapp.scoring.semantic.encoder import Encoder
from quizapp.scoring.words import read_phrase, read_words

LIFT, CENTRE, MOST = 0.5, 0.55, 0.12
"""What a recall above or below the centre adds to lexical support, and the most that it may."""
ALIGNED = 0.6
"""Cosine from which a token of the answer is shown as evidence."""
MOST_WORDS = 60


class SemanticReader:
    """One answer, encoded sentence by sentence."""

    def __init__(self, encoder: Encoder, answer: str, clauses: Sequence[Clause]) -> None:
        self._encoder = encoder
        self._parts: dict[tuple[int, int], Text] = {}
        sentences: dict[int, list[Clause]] = {}
        for clause in clauses:
            sentences.setdefault(clause.sentence, []).append(clause)
        self._texts: Mapping[int, tuple[int, Text]] = {
            number: (group[0].start, _text(encoder, answer[group[0].start : group[-1].end])) for number, group in sentences.items()
        }

    def _part(self, window: Window) -> Text:
        known = self._parts.get((window.first, window.last))
        if known is not None:
            return known
        parts = []
        for clause in window.clauses:
            offset, text = self._texts[clause.sentence]
            parts.append(text.part(clause.start - offset, clause.end - offset))
        self._parts[window.first, window.last] = joined(parts)
        return self._parts[window.first, window.last]

    def support(self, known: ReadyCriterion, window: Window) -> Support:
        """How well a window says what a criterion asks for, polarity aside."""
        found = support(known, window)
        if not found.words or len(window.words) > MOST_WORDS:
            return found
        texts = _texts(self._encoder, (*known.criterion.accept, known.criterion.description))
        recall = max(recalls(texts, self._part(window)), default=0.0)
        lift = max(-MOST, min(MOST, LIFT * (recall - CENTRE)))
        return Support(max(0.0, min(1.0, found.strength + lift)), found.words, found.phrase)


def _text(encoder: Encoder, text: str) -> Text:
    content = [(word.start, word.end) for word in read_words(text) if word.content]
    return weighted(text, encoder.encode([text])[0], content)


@lru_cache(maxsize=1024)
def _texts(encoder: Encoder, texts: tuple[str, ...]) -> Block:
    """A criterion's encoded texts; remembered, since a class answers one question many times."""
    found = []
    for text in texts:
        content = [(word.start, word.end) for word in read_phrase(text) if word.content]
        found.append(weighted(text, encoder.encode([text])[0], content))
    return block(found)
