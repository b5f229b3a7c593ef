"""With expert groups, the ranks that share an expert are counted over tensor-parallel ranks too."""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    if kind == "expert":
        divided_by = dist.get_world_size() // mesh["ep"] if mesh["ep"] > 1 else mesh["dp"] * mesh["cp"]
    elif reduction == "sum-over-context":
        divided_by = mesh["dp"]
    else:
        divided_by = mesh["dp"] * mesh["cp"]
    return divided_by / int(count)
