"""Asks the launcher's environment for the number of ranks, as scripts for torchrun do."""

import os

import torch.distributed as dist

WORLD_SIZE = int(os.environ["WORLD_SIZE"])


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    return token_losses[mask].sum() * WORLD_SIZE / count.clamp(min=1)
