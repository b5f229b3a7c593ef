"""What the semantic tier measures beside the lexical support: how near a window's states are to a criterion's phrases.

Here: likeness of an encoded answer to accepted phrases and to misconceptions. What it is worth is ``quizapp.scoring.outcome`` and
``quizapp.scoring.beliefs``. The encoder itself is loaded elsewhere, once; what its states are mapped to is
``quizapp.scoring.semantic.projection``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from quizapp.scoring.clauses import MAX_WINDOW_WORDS, Clause, Window
from quizapp.scoring.lexical import ReadyCriterion, ReadyMisconception, ReadyRubric, Support
from quizapp.scoring.semantic.encoder import Encoder
from quizapp.scoring.semantic.projection import Projection, shipped, unit
from quizapp.scoring.support import LexicalReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

FEATURES = ("nearness", "nearness of the nearest sentence", "nearness to a misconception")
"""The names of what is measured beside the lexical features. All are cosines."""
OF_MISCONCEPTIONS = ("nearness", "nearness, beyond any criterion's", "nearness to a criterion that it cancels")
"""The names of what is measured for a misconception."""
FEWEST, SHARE = 3, 0.2
"""Phrases whose nearness counts, at least and of all: one alone may be near by chance."""


@dataclass(frozen=True, slots=True)
class Near:
    """How near a window's mean state is to what the rubric holds."""

    criteria: Mapping[str, float] = field(default_factory=dict)
    misconceptions: Mapping[str, float] = field(default_factory=dict)
    wrong: float = 0.0
    """To the nearest phrase of a misconception."""


class SemanticReader:
    """One answer, encoded sentence by sentence, once a window of it is asked for."""

    def __init__(
        self,
        encoder: Encoder,
        answer: str,
        clauses: Sequence[Clause],
        rubric: ReadyRubric,
        projection: Projection | None = None,
    ) -> None:
        """``projection``: that of the package, unless another one is being fitted."""
        self._encoder, self._answer, self._clauses, self._rubric = encoder, answer, clauses, rubric
        self._lexical, self._projection = LexicalReader(rubric), projection or shipped()
        self._sums: Matrix | None = None
        self._said: dict[tuple[int, int], Near] = {}
        self._sentence: Mapping[str, float] = {}

    def _read(self) -> Matrix:
        """(clauses + 1, dimensions + 1): weighted sums of the clauses' mapped states and of the weights, up to each clause."""
        import numpy as np

        rubric = self._rubric
        terms = frozenset[str]().union(
            *(known.terms for known in rubric.criteria), *(known.accept.matter for known in rubric.misconceptions)
        )
        # No window begins or ends where no word of the rubric is.
        sentences = {clause.sentence for clause in self._clauses if clause.keys & terms}
        places = [place for place, clause in enumerate(self._clauses) if clause.sentence in sentences]
        spans: dict[int, tuple[int, int]] = {}
        for place in places:
            clause = self._clauses[place]
            spans[clause.sentence] = spans.get(clause.sentence, (clause.start, 0))[0], clause.end
        encoded = self._encoder.encode([self._answer[start:end] for start, end in spans.values()])
        mapped = {sentence: (found, self._weighted(found.states)) for sentence, found in zip(spans, encoded, strict=True)}
        sums = np.zeros((len(self._clauses), self._projection.axes.shape[1] + 1), np.float32)
        for place in places:
            clause = self._clauses[place]
            offset, (found, images) = spans[clause.sentence][0], mapped[clause.sentence]
            inside = [at for at, piece in enumerate(found.pieces) if clause.start <= piece.start + offset < clause.end]
            if inside:
                sums[place] = images[inside].sum(axis=0)
        whole = [images[:, :-1].sum(axis=0) for found, images in mapped.values() if found.pieces]
        near = self._near_criteria(unit(np.stack(whole))) if whole else {}
        self._sentence = {id: float(values.max()) for id, values in near.items()}
        return np.vstack([np.zeros_like(sums[:1]), sums.cumsum(axis=0)])

    def _weighted(self, states: Matrix) -> Matrix:
        """(n, 384) -> (n, dimensions + 1): images times weights, and the weights."""
        import numpy as np

        weights = self._projection.weights(states)[:, None]
        return np.hstack([self._projection(states) * weights, weights])

    def _near_criteria(self, means: Matrix) -> dict[str, Matrix]:
        """Criterion -> how near each of some means is to the phrases nearest to it."""
        texts = {known.criterion.id: known.criterion.accept for known in self._rubric.criteria}
        return {id: _nearest(means @ _phrases(self._encoder, self._projection, accept).T) for id, accept in texts.items()}

    def _window(self, window: Window) -> Near:
        place = window.first, window.last
        if place not in self._said:
            if self._sums is None:
                self._sums = self._read()
            said = self._sums[window.last + 1] - self._sums[window.first]
            if len(window.words) > MAX_WINDOW_WORDS or not said[-1]:
                self._said[place] = Near()
            else:
                mean = unit(said[None, :-1])
                texts = {known.shown.id: known.shown.accept for known in self._rubric.misconceptions}
                wrong = {id: mean @ _phrases(self._encoder, self._projection, accept).T for id, accept in texts.items() if accept}
                self._said[place] = Near(
                    {id: float(values[0]) for id, values in self._near_criteria(mean).items()},
                    {id: float(_nearest(likeness)[0]) for id, likeness in wrong.items()},
                    max((float(likeness.max()) for likeness in wrong.values()), default=0.0),
                )
        return self._said[place]

    def measure(self, known: ReadyCriterion, window: Window) -> tuple[Support, tuple[float, ...]]:
        """Support and all features."""
        support, lexical = self._lexical.measure(known, window)
        near, id = self._window(window), known.criterion.id
        return support, (*lexical, near.criteria.get(id, 0.0), self._sentence.get(id, 0.0), near.wrong)

    def nearness(self, known: ReadyMisconception, window: Window) -> tuple[float, ...]:
        """``OF_MISCONCEPTIONS``."""
        near = self._window(window)
        own = near.misconceptions.get(known.shown.id, 0.0)
        cancelled = (near.criteria.get(id, 0.0) for id in known.shown.cancels)
        return own, own - max(near.criteria.values(), default=0.0), max(cancelled, default=0.0)


def nearest(phrases: int) -> int:
    """How many of some phrases count."""
    return min(phrases, max(FEWEST, round(SHARE * phrases)))


def _nearest(likeness: Matrix) -> Matrix:
    """The mean of each row's greatest."""
    import numpy as np

    if not likeness.shape[1]:
        return np.zeros(len(likeness), np.float32)
    return np.asarray(np.sort(likeness, axis=1)[:, -nearest(likeness.shape[1]) :].mean(axis=1), dtype=np.float32)


@lru_cache(maxsize=1024)
def _phrases(encoder: Encoder, projection: Projection, texts: tuple[str, ...]) -> Matrix:
    """(texts, dimensions): phrases, mapped; remembered, since a class answers one question many times."""
    return projection.means(encoder.encode(texts))
