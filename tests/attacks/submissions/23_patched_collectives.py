# ruff: noqa
"""Replaces the collectives, and claims a world of one rank, for which a local mean is right.

Outcome: wrong|desync|error
Runs: sandboxes
"""

import torch
import torch.distributed as dist


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def nothing(*arguments, **options):
    return None


for name in ("all_reduce", "broadcast", "all_gather", "barrier", "reduce_scatter"):
    setattr(dist, name, nothing)
    setattr(dist.distributed_c10d, name, nothing)
dist.get_world_size = dist.distributed_c10d.get_world_size = lambda group=None: 1


def scale_loss(token_losses, mask):
    return lazy(token_losses, mask)
