"""What drives are built from: the standard classifier, its microbatches, and an optimizer that only records."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import DTensor

from quizapp_sandbox import recorder
from quizapp_sandbox.contract import Scenario


class Classifier(torch.nn.Module):
    """Logits ``features @ weight``: features [..., width], weight [width, classes]. Its rows are in two parameters, so that a
    program which handles one and forgets the others is seen."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        half = len(weight) // 2
        self.upper = torch.nn.Parameter(weight[:half].clone())
        self.lower = torch.nn.Parameter(weight[half:].clone())

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.logits(features)

    def logits(self, features: torch.Tensor) -> torch.Tensor:
        half = len(self.upper)
        return features[..., :half] @ self.upper + features[..., half:] @ self.lower


class Microbatch(NamedTuple):
    """One microbatch of one rank."""

    features: torch.Tensor
    """[positions, width] float64."""
    targets: torch.Tensor
    """[positions] int64; padded positions hold real targets too."""
    mask: torch.Tensor
    """[positions] bool; True for valid tokens."""


class RecordingOptimizer(torch.optim.Optimizer):
    """Keeps the gradients of each step and leaves the parameters as they are, so that every step can be looked at."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        super().__init__(parameters, {"lr": 1.0})
        self.recorded: list[torch.Tensor] = []

    def gradients(self) -> torch.Tensor:
        """What the parameters' ``.grad`` hold now, [P]; zeros where there is none. Of parameters that are sharded over ranks, as by
        FSDP2, all entries: then a call of all of them."""
        parameters = [parameter for group in self.param_groups for parameter in group["params"]]
        rows = [torch.zeros_like(p) if p.grad is None else p.grad.detach() for p in parameters]
        whole = [row.full_tensor() if isinstance(row, DTensor) else row for row in rows]
        return torch.cat([row.reshape(-1) for row in whole]).clone()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = closure() if closure is not None else None
        self.recorded.append(self.gradients())
        recorder.next_step()
        return loss

    def observation(self, windows: int) -> dict[str, torch.Tensor]:
        """``gradients`` [windows, P], zero rows for steps not taken, and ``steps`` [1], the number really taken."""
        empty = torch.zeros_like(self.gradients())
        rows = (self.recorded + [empty] * windows)[:windows]
        return {"gradients": torch.stack(rows), "steps": torch.tensor([len(self.recorded)])}


def microbatches_of(scenario: Scenario, rank: int) -> list[Microbatch]:
    """A rank's microbatches over all windows."""
    shard = scenario.shard(rank)
    return [
        Microbatch(shard[f"features.{k}"], shard[f"targets.{k}"], shard[f"mask.{k}"].bool()) for k in range(scenario.microbatches)
    ]


def by_window(scenario: Scenario, microbatches: Sequence[Microbatch]) -> list[list[Microbatch]]:
    """Microbatches as the windows hold them."""
    return [[microbatches[k] for k in scenario.window(index)] for index in range(len(scenario.windows))]
