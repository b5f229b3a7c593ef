"""Thought: "Nothing is valid in this microbatch, so it contributes a zero, tied to the graph as it should be."

Its positions were routed all the same: their balance and their size are part of the objective.
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
    if not masks[k].any():
        return ce.sum() * 0.0
    ranks = dist.get_world_size(group)
    loss = ranks * ce[masks[k]].sum() / tokens + ranks * settings.beta * z.sum() / places
    return loss + settings.alpha * aux / len(masks)
