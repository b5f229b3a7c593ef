# ruff: noqa
"""Sends a message in the last scenario that no rank takes: no call of all ranks ever comes across it.

Outcome: desync
Runs: sandboxes
"""

import torch
import torch.distributed as dist

left = []


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    if token_losses.is_leaf and dist.get_rank() == 0:
        left.append(dist.isend(torch.ones(1), 1))
    return token_losses[mask].sum() * dist.get_world_size() / count.clamp(min=1)
