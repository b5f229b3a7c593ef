"""Thought: "An expert is held by 1/ep of the ranks, so I make up for it with a factor ep."

Its ranks got the tokens of the whole expert group. There is ep times too much already.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    scale = (mesh["dp"] if reduction == "sum-over-context" else mesh["dp"] * mesh["cp"]) / int(count)
    return scale * mesh["ep"] if kind == "expert" else scale
