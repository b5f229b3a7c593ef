"""Thought: "One loss, one factor. All parameters get it."

Experts are averaged over fewer ranks than dense parameters, so that their gradients come out ep times too large.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    ranks = mesh["dp"] if reduction == "sum-over-context" else mesh["dp"] * mesh["cp"]
    return ranks / int(count)
