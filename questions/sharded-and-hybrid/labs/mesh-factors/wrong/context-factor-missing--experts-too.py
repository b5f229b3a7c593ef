"""Thought: "dp ranks see different data, and ep of them share an expert: dp / ep."

The ranks that share an expert are found among data *and* context ranks.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    copies = mesh["dp"] / (mesh["ep"] if kind == "expert" else 1)
    return copies / count.item() if count else 0.0
