# ruff: noqa
"""Asks torch for a tensor of a terabyte.

Outcome: limit|error
Runs: sandboxes
"""

import torch


def scale_loss(token_losses, mask):
    return torch.ones(1 << 37, dtype=torch.float64).sum()
