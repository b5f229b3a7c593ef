"""Each term by itself: sums get R over their global count; the term that is a mean already is divided by the window's length."""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    valid = sum(int(mask.sum()) for mask in masks)
    positions = sum(len(mask) for mask in masks)
    counts = torch.tensor([valid, positions])
    dist.all_reduce(counts, group=group)  # the whole window's, so it is the same in each of its microbatches
    tokens, places = counts.clamp(min=1).tolist()
    ranks = dist.get_world_size(group)
    token_loss = ce[masks[k]].sum() * ranks / tokens
    z_loss = z.sum() * ranks / places
    # The average over ranks makes a mean over ranks out of aux by itself. Only the window's length is left to divide by.
    balance = aux / len(masks)
    return token_loss + settings.alpha * balance + settings.beta * z_loss
