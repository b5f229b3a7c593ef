"""Thought: "Means must be weighted with their share of the tokens before they are averaged."

That turns token means into a token mean. The balance term is meant to count once for each microbatch.
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
    ranks = dist.get_world_size(group)
    share = int(masks[k].sum()) * ranks / tokens
    loss = ranks * ce[masks[k]].sum() / tokens + ranks * settings.beta * z.sum() / places
    return loss + settings.alpha * aux * share
