"""How far a part of an answer covers a phrase, each token of one aligned with its nearest of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizapp.scoring.semantic.encoder import Encoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    States = NDArray[np.float32]
    Weights = NDArray[np.float32]

FUNCTION_WEIGHT = 0.2
"""Weight, against 1, of a token that carries no content."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A phrase against a part of an answer. All between -1 and 1, near 1 for the same words."""

    cosine: float
    """Of the two means of token states."""
    recall: float
    """How well the part covers the phrase: weighted mean, over the phrase's tokens, of the nearest token's cosine."""
    precision: float
    """How well the phrase covers the part."""


@dataclass(frozen=True, slots=True)
class Text:
    """An encoded text with the weight of each token."""

    encoded: Encoded
    weights: Weights
    """(pieces,): 1 for content, less for function words, 0 for punctuation."""


def weighted(text: str, encoded: Encoded, content: Sequence[tuple[int, int]]) -> Text:
    """An encoded text with its tokens weighted.

    Args:
        content: spans of the words that carry content, in order.
    """
    import numpy as np

    weights = np.zeros(len(encoded.pieces), dtype=np.float32)
    for at, piece in enumerate(encoded.pieces):
        if any(start <= piece.start < end for start, end in content):
            weights[at] = 1.0
        elif text[piece.start].isalnum():
            weights[at] = FUNCTION_WEIGHT
    return Text(encoded, weights)


def align(phrase: Text, part: Text) -> Aligned:
    """Aligns a phrase with a part of an answer."""
    import numpy as np

    if not phrase.weights.sum() or not part.weights.sum():
        return Aligned(0.0, 0.0, 0.0)
    alike = phrase.encoded.states @ part.encoded.states[part.weights > 0].T
    recall = float((alike.max(axis=1) * phrase.weights).sum() / phrase.weights.sum())
    weights = part.weights[part.weights > 0]
    precision = float((alike[phrase.weights > 0].max(axis=0) * weights).sum() / weights.sum())
    one, other = phrase.encoded.states.mean(axis=0), part.encoded.states.mean(axis=0)
    cosine = float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9))
    return Aligned(cosine, recall, precision)
