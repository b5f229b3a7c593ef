"""Thought: "A slice without valid tokens has a gradient of zero. Any factor will do, so I return at once."

The other slices wait for this one in the count.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    if tokens == 0:
        return 0.0
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if kind == "expert":
        return mesh["dp"] * mesh["cp"] / mesh["ep"] / int(count)
    return (mesh["dp"] if reduction == "sum-over-context" else mesh["dp"] * mesh["cp"]) / int(count)
