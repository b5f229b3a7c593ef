"""Thought: "Token loss and z-loss are both sums over positions, so they share the denominator N."

The z-loss sums over padding too; its own denominator counts what it sums over.
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
    per_token = (ce * masks[k]).sum() + settings.beta * z.sum()
    return per_token * dist.get_world_size(group) / tokens + settings.alpha * aux / len(masks)
