"""The probe data set: rows with continuous features or token ids, uneven counts, and padding with real targets behind its -100."""

from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset

from quizapp_auditor.world import DTYPES

IGNORED = -100
CLASSES = 9
"""Class 0 is never a target, so that padding whose -100 was made a 0 shows; four positions in a row have four targets, so that a
shift shows."""
PADDING = (1, 3, 2)
"""Padded positions of rows, in turn."""


class Rows(Dataset[dict[str, Tensor]]):
    """Rows, each with ``features`` [L, F] (or ``input_ids`` [L]), ``labels`` [L] with -100 at padding, and for the probe model
    also ``targets`` [L], real everywhere, and ``mask`` [L], true at valid positions.

    ``alike``: all of one length, so that they can be stacked.
    """

    def __init__(self, counts: list[int], seed: int, dtype: str, shift: bool, vocabulary: int | None, alike: bool) -> None:
        draw = torch.Generator().manual_seed(seed)
        # With a shift, the first label of a row is predicted by nothing.
        self.held = [count + 1 if shift and count else count for count in counts]
        lengths = [held + PADDING[row % len(PADDING)] for row, held in enumerate(self.held)]
        self.length = max(lengths)
        self.lengths = [self.length] * len(lengths) if alike else lengths
        size = (len(counts), self.length)
        self.shift = int(shift)
        self.mask = torch.arange(self.length)[None, :] < torch.tensor(self.held)[:, None]
        self.names: tuple[str, ...] = ("features", "labels", "targets", "mask")
        if vocabulary is None:
            self.classes = CLASSES
            steps = torch.randint(1, 3, size, generator=draw)
            # Steps of 1 or 2 around a ring of eight come back to no class within four positions.
            self.targets = 1 + steps.cumsum(1) % (CLASSES - 1)
            # Half as many features again as positions: well apart, so that rounding isn't magnified.
            features = torch.randn(*size, 3 * size[0] * size[1] // 2 + 8, generator=draw, dtype=torch.float64)
            self.inputs = features.to(DTYPES[dtype])
        else:
            if vocabulary <= size[0] * size[1]:
                raise ValueError(f"VOCABULARY must be more than {size[0] * size[1]}, so that no two positions share a token id")
            self.classes = vocabulary
            self.names = ("input_ids", "labels")
            self.inputs = 1 + torch.randperm(vocabulary - 1, generator=draw)[: size[0] * size[1]].reshape(size)
            self.targets = (
                self.inputs if shift else 1 + torch.randperm(vocabulary - 1, generator=draw)[: self.inputs.numel()].reshape(size)
            )
        self.labels = self.targets.masked_fill(~self.mask, IGNORED)

    def __len__(self) -> int:
        return len(self.held)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} was asked for, and the data set has {len(self)} rows")
        values = (self.inputs, self.labels, self.targets, self.mask)
        return {name: value[index, : self.lengths[index]] for name, value in zip(self.names, values, strict=False)}

    def batch(self, rows: list[int]) -> dict[str, Tensor]:
        """Rows stacked: what a collator would make of them."""
        return torch.utils.data.default_collate([self[row] for row in rows])  # type: ignore[no-any-return]

    def find(self, value: Any) -> list[tuple[int, int]] | None:
        """The (row, position) of every position in a tensor that a model was given; ``None`` if it isn't this data set's input."""
        if not isinstance(value, Tensor):
            return None
        if self.inputs.dim() == 3:
            if not value.is_floating_point() or value.dim() < 1 or value.shape[-1] != self.inputs.shape[-1]:
                return None
            given = torch.nn.functional.normalize(value.detach().double().reshape(-1, value.shape[-1]).cpu())
            known = torch.nn.functional.normalize(self.inputs.double().reshape(-1, self.inputs.shape[-1]))
            best, where = (given @ known.T).max(1)
            found = where[best > 0.99].tolist()
        else:
            if value.is_floating_point() or value.dtype == torch.bool:
                return None
            places = {int(token): place for place, token in enumerate(self.inputs.reshape(-1).tolist())}
            found = [places[token] for token in value.detach().reshape(-1).tolist() if token in places]
        return [divmod(place, self.length) for place in found] or None
