"""Asks the entry for its factor on every mesh that the ranks can form, for each kind of parameter and way of reduction.

Ranks are laid out with tensor parallelism innermost, then context, then data; expert groups are neighbours among the ranks with
tokens of their own. Tensor-parallel ranks get the tokens of the first of them. Observation: for each mesh the factors for dense and
for expert parameters, and where there are context ranks the one for dense parameters that are summed over them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist

from quizapp_sandbox.contract import Invalid, Scenario, numbers

Mesh = dict[str, int]
Partition = list[list[int]]


def meshes(world_size: int) -> list[Mesh]:
    """Every split of the ranks over data, context and tensor parallelism, then those with expert groups."""
    found = []
    for dp in range(1, world_size + 1):
        for cp in range(1, world_size + 1):
            if world_size % (dp * cp) == 0:
                found.append({"dp": dp, "cp": cp, "tp": world_size // (dp * cp), "ep": 1})
    found.append({"dp": world_size, "cp": 1, "tp": 1, "ep": world_size})
    if world_size == 4:
        found += [{"dp": 4, "cp": 1, "tp": 1, "ep": 2}, {"dp": 2, "cp": 2, "tp": 1, "ep": 2}]
        # Expert groups that are larger than the data size, or that leave tensor-parallel ranks aside.
        found += [{"dp": 2, "cp": 2, "tp": 1, "ep": 4}, {"dp": 2, "cp": 1, "tp": 2, "ep": 2}]
    return found


def partitions(mesh: Mesh) -> dict[str, Partition]:
    """Name of a group -> the ranks of each group of that name."""
    dp, cp, tp, ep = (mesh[axis] for axis in ("dp", "cp", "tp", "ep"))
    grid = torch.arange(dp * cp * tp).reshape(dp, cp, tp)
    slices = grid.permute(2, 0, 1).reshape(tp, dp * cp)
    experts = slices.reshape(-1, ep)
    return {
        "dp": grid.permute(1, 2, 0).reshape(-1, dp).tolist(),
        "cp": grid.permute(0, 2, 1).reshape(-1, cp).tolist(),
        "tp": grid.reshape(-1, tp).tolist(),
        "dp_cp": slices.tolist(),
        "ep": experts.tolist(),
        "expert_dp": slices.reshape(tp, -1, ep).permute(0, 2, 1).reshape(-1, dp * cp // ep).tolist(),
    }


def questions(mesh: Mesh) -> list[tuple[str, str]]:
    """Kind of parameter and way of reduction."""
    return [("dense", "mean"), ("expert", "mean")] + ([("dense", "sum-over-context")] if mesh["cp"] > 1 else [])


def named(mesh: Mesh) -> str:
    return " ".join(f"{axis}={size}" for axis, size in mesh.items() if size > 1)


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    return {"tokens": int(scenario.shard(rank)["mask.0"].sum()), "rank": rank, "world_size": scenario.world_size}


def _formed(subsets: Sequence[tuple[int, ...]], world_size: int, world: Any) -> dict[tuple[int, ...], Any]:
    return {ranks: world if len(ranks) == world_size else dist.new_group(list(ranks)) for ranks in subsets}


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    rank, size = inputs["rank"], inputs["world_size"]
    every = meshes(size)
    subsets = sorted({tuple(ranks) for mesh in every for part in partitions(mesh).values() for ranks in part})
    formed = _formed(subsets, size, group)
    found = {}
    for mesh in every:
        mine = {name: next(tuple(r) for r in part if rank in r) for name, part in partitions(mesh).items()}
        tokens = torch.tensor([inputs["tokens"]])
        if mesh["tp"] > 1:
            dist.broadcast(tokens, src=mine["tp"][0], group=formed[mine["tp"]])
        groups = {name: formed[ranks] for name, ranks in mine.items()}
        factors = []
        for kind, reduction in questions(mesh):
            what = f"the factor for {kind}, {reduction} on {named(mesh)}"
            value = numbers(entry(kind, dict(mesh), int(tokens), reduction, dict(groups)), what, ()).double()
            if not torch.isfinite(value):
                raise Invalid(f"returned {value.item()} as {what}; return a finite number")
            factors.append(value)
        found[named(mesh)] = torch.stack(factors)
    for ranks, one in formed.items():
        if one is not group and rank in ranks:
            dist.destroy_process_group(one)
    return found
