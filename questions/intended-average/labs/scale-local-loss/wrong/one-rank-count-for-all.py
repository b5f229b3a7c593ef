"""Thought: "Rank 0 broadcasts its count, so that all ranks divide by the same number."

The same number everywhere, and the wrong one: R times rank 0's count isn't the global count.
"""

import torch.distributed as dist


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.broadcast(count, src=0)
    ranks = dist.get_world_size()
    return ranks * token_losses[mask].sum() / (ranks * count.clamp(min=1))
