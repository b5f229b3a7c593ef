"""Thought: "Context-parallel ranks share a sequence, so they are one data rank. The factor is the data size."

One data rank, if their gradients were added. This reduction averages over them as well.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    if kind == "expert":
        return dist.get_world_size(groups["expert_dp"]) / int(count)
    return mesh["dp"] / int(count)
