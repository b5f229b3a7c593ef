# ruff: noqa
"""Keeps all ranks busy with collectives for ever, so that none ever seems stuck.

Outcome: timeout
Runs: sandboxes
"""

import torch
import torch.distributed as dist


def scale_loss(token_losses, mask):
    while True:
        dist.all_reduce(torch.ones(1))
