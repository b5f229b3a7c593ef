"""Thought: "We average over dp * cp ranks, always have, so the factor is dp * cp."

With a reduction that adds up over the context ranks, cp is undone where nobody had done it.
"""

import torch
import torch.distributed as dist


def gradient_scale(kind, mesh, tokens, reduction, groups):
    count = torch.tensor(tokens)
    dist.all_reduce(count, group=groups["dp_cp"])
    if count == 0:
        return 0.0
    ranks = dist.get_world_size(groups["expert_dp"] if kind == "expert" else groups["dp_cp"])
    return ranks / int(count)
