"""Two and four gloo ranks that do what items claim FSDP2 and hybrid meshes do; rank 0 writes what came out.

Run by ``test_claims_meshes.py``: ``python mesh_ranks.py FOLDER``. Ranks are forked from one process, so that torch is imported
once. Here: small experiments, nothing is asserted.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

Found = float | list[float] | str


def sharded(*shape: int, factor: float | None = None, force_sum: bool = True) -> Any:
    """A layer of two weights on a mesh of (replicas, shards) or (shards,): each weight's gradient is the layer's input."""
    layer: Any = nn.Linear(1, 2, bias=False)
    fully_shard(layer, mesh=init_device_mesh("cpu", shape, mesh_dim_names=("replicas", "shards")[-len(shape) :]))
    if factor is not None:
        layer.set_force_sum_reduction_for_comms(force_sum)
        layer.set_gradient_divide_factor(factor)
    return layer


def backward(layer: Any, value: float) -> None:
    layer(torch.tensor([[value]])).sum().backward()


def whole(layer: Any) -> list[float]:
    found: list[float] = layer.weight.grad.full_tensor().reshape(-1).tolist()
    return found


def divided(rank: int, *shape: int, factor: float | None = None) -> list[float]:
    """The gradient of ranks whose own gradients are 1, 2, 3, ..."""
    layer = sharded(*shape, factor=factor)
    backward(layer, rank + 1.0)
    return whole(layer)


def premultiplied_on_gloo() -> str:
    layer = sharded(2, factor=4.0, force_sum=False)
    try:
        backward(layer, 1.0)
    except RuntimeError as error:
        return str(error)
    return ""


def replicas_meet_last(rank: int) -> list[float]:
    """Two microbatches, with an all-reduce between replicas in the second only."""
    layer = sharded(2, 1)
    layer.set_requires_all_reduce(False)
    backward(layer, (2.0, 6.0)[rank])
    layer.set_requires_all_reduce(True)
    backward(layer, (10.0, 4.0)[rank])
    return whole(layer)


def clipped_shards(rank: int) -> tuple[float, list[float]]:
    """A gradient of (3, 4) over two shards, clipped to a length of 1 by the stock function: its norm before, and what is left."""
    layer = sharded(2)
    layer(torch.tensor([[1.0]])).mul(torch.tensor([3.0, 4.0])).sum().backward()
    norm: Any = torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    return norm.full_tensor().item(), whole(layer)


def of_two(rank: int) -> Iterator[tuple[str, Found]]:
    norm, left = clipped_shards(rank)
    yield "norm of the shards", norm
    yield "clipped shards", left
    yield "one axis", divided(rank, 2)
    yield "one axis, factor 1", divided(rank, 2, factor=1.0)
    yield "one shard per replica, factor 4", divided(rank, 2, 1, factor=4.0)
    yield "premultiplied sum", premultiplied_on_gloo()
    yield "replicas meet last", replicas_meet_last(rank)


def of_four(rank: int) -> Iterator[tuple[str, Found]]:
    yield "hybrid", divided(rank, 2, 2)
    yield "hybrid, factor 5", divided(rank, 2, 2, factor=5.0)


def run(folder: Path, name: str, world_size: int, experiments: Callable[[int], Iterator[tuple[str, Found]]]) -> bool:
    """Forks the ranks and waits for them; whether all ended well."""
    children = []
    for rank in range(world_size):
        child = os.fork()
        if not child:
            status = 1
            try:
                torch.set_num_threads(1)
                store = dist.FileStore(  # type: ignore[attr-defined]
                    str(folder / f"{name}.store"), world_size
                )
                dist.init_process_group("gloo", store=store, rank=rank, world_size=world_size, timeout=timedelta(seconds=180))
                found = dict(experiments(rank))
                if rank == 0:
                    (folder / f"{name}.json").write_text(json.dumps(found), "utf-8")
                dist.barrier()
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    return not any(statuses)


if __name__ == "__main__":
    ended = [run(Path(sys.argv[1]), "two", 2, of_two), run(Path(sys.argv[1]), "four", 4, of_four)]
    sys.exit(not all(ended))
