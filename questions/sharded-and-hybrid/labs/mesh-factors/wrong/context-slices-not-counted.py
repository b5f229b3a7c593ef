"""Thought: "Token counts are reduced over the data-parallel group."

That group holds one slice of each sequence. The other slices' tokens are missing, and each context rank misses others.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp"])
    if count == 0:
        return 0.0
    averaged = groups["expert_dp"] if kind == "expert" else groups["dp" if reduction == "sum-over-context" else "dp_cp"]
    return dist.get_world_size(averaged) / int(count)
