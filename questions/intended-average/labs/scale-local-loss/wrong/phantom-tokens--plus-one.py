"""Thought: "Adding 1 to the denominator is the simplest guard against a division by zero."

It is one extra token in every step, also in the steps that had no need of a guard.
"""

import torch.distributed as dist


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    return dist.get_world_size() * token_losses[mask].sum() / (count + 1)
