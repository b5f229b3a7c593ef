"""Thought: "I divide by the average count per rank, and multiply by R because DDP averages."

Dividing by N / R is multiplying by R already.
"""

import torch.distributed as dist


def scale_loss(token_losses, mask):
    ranks = dist.get_world_size()
    count = mask.sum().to(token_losses.dtype)
    dist.all_reduce(count)
    average = count.clamp(min=1.0) / ranks
    return ranks * (token_losses * mask).sum() / average
