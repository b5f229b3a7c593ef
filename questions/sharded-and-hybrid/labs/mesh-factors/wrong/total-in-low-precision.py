"""The count is made a tensor of the gradients' type, and those are in bfloat16."""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(float(tokens), dtype=torch.bfloat16)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    ranks = mesh["dp"] * mesh["cp"]
    if kind == "expert":
        ranks //= mesh["ep"]
    elif reduction == "sum-over-context":
        ranks = mesh["dp"]
    return ranks / count.item()
