"""Thought: "Padding never counts, so I mask every per-position loss and divide by the valid tokens."

For the token loss that is the task. The router sends padding to experts too, and its size is to be kept down there as well.
"""

import torch
import torch.distributed as dist


def _window(masks, group):
    """Valid tokens and positions of the window, on all ranks."""
    counts = torch.tensor([sum(int(mask.sum()) for mask in masks), sum(len(mask) for mask in masks)])
    dist.all_reduce(counts, group=group)
    return counts.clamp(min=1).tolist()


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    tokens, _ = _window(masks, group)
    mask, ranks = masks[k], dist.get_world_size(group)
    per_token = ce[mask].sum() + settings.beta * z[mask].sum()
    return ranks * per_token / tokens + settings.alpha * aux / len(masks)
