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

    def part(self, start: int, end: int) -> Text:
        """The tokens between two offsets of the text."""
        at = [index for index, piece in enumerate(self.encoded.pieces) if start <= piece.start and piece.end <= end]
        if not at:
            return Text(Encoded((), self.encoded.states[:0]), self.weights[:0])
        first, last = at[0], at[-1] + 1
        return Text(Encoded(self.encoded.pieces[first:last], self.encoded.states[first:last]), self.weights[first:last])


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


def joined(parts: Sequence[Text]) -> Text:
    """Texts one after the other."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    encoded = Encoded(
        tuple(piece for part in parts for piece in part.encoded.pieces), np.concatenate([part.encoded.states for part in parts])
    )
    return Text(encoded, np.concatenate([part.weights for part in parts]))


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


@dataclass(frozen=True, slots=True)
class Block:
    """Several texts in one, so that they are aligned at once."""

    states: States
    weights: Weights
    starts: tuple[int, ...]
    """Where each text begins."""


def block(texts: Sequence[Text]) -> Block:
    """Texts in one block; those without any weight are left out."""
    import numpy as np

    kept = [text for text in texts if text.weights.sum()]
    if not kept:
        return Block(np.zeros((0, 0), np.float32), np.zeros(0, np.float32), ())
    whole = joined(kept)
    starts = np.cumsum([0, *(len(text.weights) for text in kept[:-1])])
    return Block(whole.encoded.states, whole.weights, tuple(int(start) for start in starts))


def recalls(texts: Block, part: Text) -> list[float]:
    """The recall of each text of a block by a part of an answer."""
    import numpy as np

    held = part.encoded.states[part.weights > 0]
    if not len(held) or not texts.starts:
        return []
    nearest = (texts.states @ held.T).max(axis=1) * texts.weights
    starts = list(texts.starts)
    return [float(value) for value in np.add.reduceat(nearest, starts) / np.add.reduceat(texts.weights, starts)]
