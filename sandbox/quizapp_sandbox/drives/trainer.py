"""``trainer``, the drive of audit labs: the entry ``build(model, dataset, optimizer, world)`` is a whole trainer.

It is what a file for ``quizapp audit`` defines, so one file serves both: ``build`` trains, or returns what does. The process group
stands, and wrapping the model is the trainer's own affair. Observation: ``gradients`` [windows, P] float64, what the optimizer saw
at each step (zero rows for steps not taken), and ``steps`` [1].
"""

import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import Dataset

from quizapp_sandbox.contract import Invalid, Scenario
from quizapp_sandbox.drives.blocks import Classifier, Microbatch, RecordingOptimizer, microbatches_of

IGNORED = -100


@dataclass(frozen=True)
class World:
    """One rank's view of the run, as ``quizapp audit`` tells it."""

    rank: int
    ranks: int
    accumulate: int
    """Microbatches per rank and optimizer step; the last step may have fewer."""
    rows: int
    """Rows of the data set."""
    rows_per_microbatch: int = 1
    dtype: torch.dtype = torch.float64
    shift: bool = False
    folder: str = field(default_factory=tempfile.gettempdir)
    options: dict[str, Any] = field(default_factory=dict)

    def option(self, name: str, default: Any = None) -> Any:
        """A setting; there are none here."""
        return self.options.pop(name, default)


class Model(Classifier):
    """The classifier. With labels it answers as models of the transformers library do."""

    def forward(self, features: torch.Tensor, labels: torch.Tensor | None = None, num_items_in_batch: Any = None) -> Any:
        """Logits [..., 3]; with labels ``{"loss", "logits"}``: the loss sum over ``num_items_in_batch``, or else the mean."""
        logits = self.logits(features)
        if labels is None:
            return logits
        how = "mean" if num_items_in_batch is None else "sum"
        loss = cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORED, reduction=how)
        return {"loss": loss if num_items_in_batch is None else loss / num_items_in_batch, "logits": logits}


class Rows(Dataset[dict[str, torch.Tensor]]):
    """All ranks' rows, of which a rank can read its own: row i is rank i % R's, as ``DistributedSampler`` deals without a shuffle.

    A row: ``features`` [L, D], ``labels`` [L] with -100 at padding, ``targets`` [L], real everywhere, ``mask`` [L] bool.
    """

    def __init__(self, rank: int, ranks: int, own: list[Microbatch]) -> None:
        self.rank, self.ranks, self.own = rank, ranks, own

    def __len__(self) -> int:
        return self.ranks * len(self.own)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index % self.ranks != self.rank:
            dealt = "rows are dealt as DistributedSampler(dataset, world.ranks, world.rank, shuffle=False) does"
            raise Invalid(f"asked for row {index}, which is rank {index % self.ranks}'s: {dealt}")
        features, targets, mask = self.own[index // self.ranks]
        return {"features": features, "labels": targets.masked_fill(~mask, IGNORED), "targets": targets, "mask": mask}


def recorder(made: list[RecordingOptimizer]) -> type[RecordingOptimizer]:
    """An optimizer class whose instances are kept; it takes any optimizer's arguments."""

    class Recorder(RecordingOptimizer):
        def __init__(self, params: Iterable[torch.nn.Parameter], lr: float = 0.1, *_: Any, **__: Any) -> None:
            super().__init__(params)
            made.append(self)

    return Recorder


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    own = microbatches_of(scenario, rank)
    rows = scenario.world_size * len(own)
    world = World(rank, scenario.world_size, scenario.accumulate, rows)
    return {
        "weight": scenario.shared["weight"],
        "dataset": Rows(rank, scenario.world_size, own),
        "world": world,
        "windows": len(scenario.windows),
    }


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    made: list[RecordingOptimizer] = []
    trainer = entry(Model(inputs["weight"]), inputs["dataset"], recorder(made), inputs["world"])
    if callable(trainer):
        trainer()
    if len(made) != 1:
        what = "no optimizer" if not made else f"{len(made)} optimizers"
        raise Invalid(f"made {what}; make one, with optimizer(model.parameters())")
    return made[0].observation(inputs["windows"])
