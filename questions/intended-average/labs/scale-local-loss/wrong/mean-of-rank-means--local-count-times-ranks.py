"""Thought: "All ranks hold about as many tokens as I do, so N is my count times the world size."

R cancels, and what is left is the local mean.
"""

import torch.distributed as dist


def scale_loss(token_losses, mask):
    ranks = dist.get_world_size()
    total = (mask.sum() * ranks).clamp(min=1)
    return ranks * token_losses[mask].sum() / total
