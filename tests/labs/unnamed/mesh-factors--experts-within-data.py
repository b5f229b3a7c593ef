"""An expert group is thought to lie within the data ranks: dp // ep is 0 where it spans context ranks."""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    if kind == "expert":
        divided_by = mesh["dp"] // mesh["ep"] * mesh["cp"] if mesh["cp"] > 1 else mesh["dp"] // mesh["ep"]
    elif reduction == "sum-over-context":
        divided_by = mesh["dp"]
    else:
        divided_by = mesh["dp"] * mesh["cp"]
    return divided_by / int(count)
