"""Thought: "dist.all_reduce(count) gives the global count."

Over the default group: all tensor-parallel ranks of a slice report the same tokens, which are counted tp times.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count)
    if count == 0:
        return 0.0
    if kind == "expert":
        return mesh["dp"] * mesh["cp"] / mesh["ep"] / int(count)
    return (mesh["dp"] if reduction == "sum-over-context" else mesh["dp"] * mesh["cp"]) / int(count)
