"""Thought: "The factor that undoes the average is the world size."

It was, as long as every rank had tokens of its own. Tensor-parallel ranks are no further data.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    scale = dist.get_world_size() / int(count)
    if kind == "expert":
        return scale / mesh["ep"]
    return scale / mesh["cp"] if reduction == "sum-over-context" else scale
