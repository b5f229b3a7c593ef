"""What the reduction divides by, over the tokens of all slices. Each is asked of the group that knows it."""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    # dp_cp holds every slice once. Over the world, each would be counted by all its tensor-parallel ranks.
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    if kind == "expert":
        divided_by = mesh["dp"] * mesh["cp"] // mesh["ep"]  # the ranks that share these experts
    elif reduction == "sum-over-context":
        divided_by = mesh["dp"]
    else:
        divided_by = mesh["dp"] * mesh["cp"]
    return divided_by / int(count)
