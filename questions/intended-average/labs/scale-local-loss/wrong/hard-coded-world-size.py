"""Thought: "We train on two GPUs, so the factor is 2."

Right on two ranks, and quietly wrong on the day the job gets more.
"""

import torch.distributed as dist

WORLD_SIZE = 2


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    return WORLD_SIZE * token_losses[mask].sum() / count.clamp(min=1)
