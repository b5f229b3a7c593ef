"""Thought: "The z-loss is my own, so I put its factor R. The token loss comes divided by N, as the paper has it."

The paper adds gradients up. Here they are averaged.
"""

import torch
import torch.distributed as dist


def _window(masks, group):
    """Valid tokens and positions of the window, on all ranks."""
    counts = torch.tensor([sum(int(mask.sum()) for mask in masks), sum(len(mask) for mask in masks)])
    dist.all_reduce(counts, group=group)
    return counts.clamp(min=1).tolist()


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    tokens, places = _window(masks, group)
    z_loss = z.sum() * dist.get_world_size(group) / places
    token_loss = (ce * masks[k]).sum() / tokens
    return token_loss + settings.alpha * aux / len(masks) + settings.beta * z_loss
