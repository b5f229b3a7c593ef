"""Thought: "Sums over the global count: done."

If the reduction added. Each of the three averages over some group, and divides by its size.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    return 1.0 / int(count) if count else 0.0
