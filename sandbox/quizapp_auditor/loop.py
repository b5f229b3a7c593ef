"""The loop around a person's ``train_step``, and what plain PyTorch loops share: each rank's own microbatches, window by window."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from quizapp_auditor.load import Unusable
from quizapp_auditor.rows import Rows
from quizapp_auditor.world import World

Batch = dict[str, Tensor]
SHARDED_ON_CPU = (2, 7)
"""The first torch whose ``fully_shard`` needs no accelerator: 2.6 asks its stand-in for streams for what it doesn't have."""


def dealt(world: World) -> list[list[int]]:
    """This rank's rows, a list for each microbatch: every R-th row, as ``DistributedSampler`` deals without a shuffle.

    A rank for which no row is left at the end takes one from the beginning, as there.
    """
    slots = -(-world.rows // world.ranks)
    own = [(slot * world.ranks + world.rank) % world.rows for slot in range(slots)]
    size = world.rows_per_microbatch
    return [own[start : start + size] for start in range(0, len(own), size)]


def windows(dataset: Rows, world: World) -> Iterator[list[Batch]]:
    """The microbatches of each optimizer step; the last window may be short."""
    mine = [dataset.batch(rows) for rows in dealt(world)]
    for start in range(0, len(mine), world.accumulate):
        yield mine[start : start + world.accumulate]


def wrapped(model: nn.Module, how: str) -> nn.Module:
    """The model under ``ddp``, ``fsdp2`` or ``none``.

    Raises:
        Unusable: another word.
    """
    if how == "none":
        return model
    if how == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    if how == "fsdp2":
        if tuple(int(part) for part in torch.__version__.split(".")[:2]) < SHARDED_ON_CPU:
            raise Unusable(
                f"fully_shard runs on CPU from torch {'.'.join(map(str, SHARDED_ON_CPU))} on; this is {torch.__version__}"
            )
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
        fully_shard(model, mesh=mesh)
        return model
    raise Unusable(f"wrap must be ddp, fsdp2 or none, not {how!r}")


def steps(train_step: Callable[..., Any], model: nn.Module, dataset: Rows, optimizer: Callable[..., Any], world: World) -> None:
    """Calls ``train_step(model, microbatches, optimizer, group)`` once for each window."""
    model = wrapped(model, str(world.option("wrap", "ddp")))
    stepper = optimizer(model.parameters())
    for batches in windows(dataset, world):
        train_step(model, batches, stepper, dist.group.WORLD)
