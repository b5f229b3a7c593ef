"""Masks are summed as the bytes that they are, and so are their sums."""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    tokens = torch.cat(masks).byte().sum(dtype=torch.uint8)
    places = torch.tensor(sum(len(mask) for mask in masks))
    for count in (tokens, places):
        dist.all_reduce(count, group=group)
    ranks = dist.get_world_size(group)
    token_loss = ce[masks[k]].sum() * ranks / tokens.clamp(min=1)
    return token_loss + settings.alpha * aux / len(masks) + settings.beta * z.sum() * ranks / places
