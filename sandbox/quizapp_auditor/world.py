"""What a trainer is told about the run. The files that people write for ``quizapp audit`` are given one of these."""

from dataclasses import dataclass
from typing import Any

import torch

DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass(frozen=True)
class World:
    """One rank's view of the run."""

    rank: int
    ranks: int
    accumulate: int
    """Microbatches per rank and optimizer step."""
    rows_per_microbatch: int
    rows: int
    """Rows of the data set."""
    dtype: torch.dtype
    shift: bool
    """Whether the label of a position is predicted by the position before it, as in causal language models."""
    folder: str
    """An empty folder for whatever the trainer writes; it is removed after the run."""
    options: dict[str, Any]
    """What ``--set key=value`` gave. :meth:`option` takes one out; an adapter hands the rest to the library."""

    def option(self, name: str, default: Any = None) -> Any:
        """Takes an option out, so that the rest can go to the library."""
        return self.options.pop(name, default)
