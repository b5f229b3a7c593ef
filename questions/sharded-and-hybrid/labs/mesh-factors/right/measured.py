"""Derives nothing: sends one unit through the reduction, looks at what is left of it, and divides by that."""

import torch
import torch.distributed as dist


def _average(tensor, group):
    dist.all_reduce(tensor, group=group)
    tensor /= dist.get_world_size(group)


def gradient_scale(kind, mesh, tokens, reduction, groups):
    shared_by = groups["expert_dp"] if kind == "expert" else groups["dp_cp"]
    unit = torch.tensor(float(dist.get_rank(shared_by) == 0), dtype=torch.float64)  # one token's gradient, on one rank
    if reduction == "sum-over-context":
        dist.all_reduce(unit, group=groups["cp"])
        _average(unit, groups["dp"])
    else:
        _average(unit, shared_by)
    count = torch.tensor(float(tokens), dtype=torch.float64)
    dist.all_reduce(count, group=groups["cp"])
    dist.all_reduce(count, group=groups["dp"])  # first along the sequence, then over the data: the same total
    return 1.0 / float(count * unit) if count > 0 else 0.0
