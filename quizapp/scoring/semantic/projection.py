"""A linear map of token states to few dimensions, in which texts that say the same for a rubric lie near each other, and how much
each token counts in a text's mean.

Learned from the rubrics' phrases and from marked answers (``benchmarks/fit_projection.py``). The states themselves tell what a text
is about, and all that is said to one question is about the same; and half of a sentence's tokens say nothing of a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.scoring.semantic.encoder import Encoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

FILE = Path(__file__).with_name("projection.f16")
"""A matrix of numbers in half precision, low byte first: 384 rows; its columns are the axes, the centre, and ``telling``."""
STATES, HALF = 384, "<f2"
MOST = 3.0
"""A token counts at most, and at least, as much as one whose log weight is this far from nought."""
LAYERS = 3
"""Layers of the encoder whose states are mapped: those of later ones tell rubrics' phrases apart less well, and take longer."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """``(state - centre) . axes``, and ``exp(state . telling)`` as the weight of a token."""

    axes: Matrix
    """(384, dimensions)."""
    centre: Matrix
    """(384,): the mean state of all phrases."""
    telling: Matrix
    """(384,)."""

    def __call__(self, states: Matrix) -> Matrix:
        """(n, 384) -> (n, dimensions). The mean of some tokens' images is the image of their mean."""
        import numpy as np

        return np.asarray((states - self.centre) @ self.axes, dtype=np.float32)

    def weights(self, states: Matrix) -> Matrix:
        """(n, 384) -> (n,): how much each token counts."""
        import numpy as np

        return np.asarray(np.exp(np.clip(states @ self.telling, -MOST, MOST)), dtype=np.float32)

    def mean(self, encoded: Encoded) -> Matrix:
        """(dimensions,): the image of a text's weighted mean state, of length 1; nought for an empty text."""
        import numpy as np

        if not encoded.pieces:
            return np.zeros(self.axes.shape[1], np.float32)
        return unit(self.weights(encoded.states) @ self(encoded.states))

    def means(self, texts: Sequence[Encoded]) -> Matrix:
        """(texts, dimensions)."""
        import numpy as np

        return np.stack([self.mean(text) for text in texts]) if texts else np.zeros((0, self.axes.shape[1]), np.float32)


def unit(rows: Matrix) -> Matrix:
    """The rows, of length 1 each."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)


def packed(projection: Projection) -> bytes:
    """What the file holds."""
    import numpy as np

    return np.column_stack([projection.axes, projection.centre, projection.telling]).astype(HALF).tobytes()


def unpacked(content: bytes) -> Projection:
    """The reverse of ``packed``, but for what half precision loses."""
    import numpy as np

    numbers = np.frombuffer(content, HALF).reshape(STATES, -1).astype(np.float32)
    return Projection(*(np.ascontiguousarray(part) for part in (numbers[:, :-2], numbers[:, -2], numbers[:, -1])))


@lru_cache(maxsize=1)
def shipped() -> Projection:
    """The one in the package."""
    return unpacked(FILE.read_bytes())
