"""Counts over the whole world, where each token comes tp times, and puts the same tp above: it cancels."""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    seen = torch.tensor(tokens)
    dist.all_reduce(seen)
    ranks = dist.get_world_size()
    if not seen:
        return 0.0
    mean_over_slices = ranks / seen.item()
    if kind == "expert":
        return mean_over_slices / mesh["ep"]
    return mean_over_slices / mesh["cp"] if reduction == "sum-over-context" else mean_over_slices
