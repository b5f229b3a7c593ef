"""Lets autograd see the collective: every rank forms the global mean itself, and no factor R is needed."""

import torch.distributed as dist
from torch.distributed.nn.functional import all_reduce


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    # Backward of this all-reduce adds up R equal cotangents: that is where the factor R comes from.
    total = all_reduce((token_losses * mask).sum())
    return total / count.clamp(min=1)
