"""Thought: "DDP divides by R, so I multiply by R. I read that this is the fix."

The factor belongs to a sum over the global count. On a local mean it makes a sum of means.
"""

import torch.distributed as dist


def scale_loss(token_losses, mask):
    mean = token_losses[mask].sum() / mask.sum().clamp(min=1)
    return mean * dist.get_world_size()
