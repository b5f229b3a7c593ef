# ruff: noqa
"""Empties its inputs in place, and the mask, so that there is nothing left to be wrong about.

Outcome: wrong|error|desync
Runs: sandboxes
"""

import torch


def scale_loss(token_losses, mask):
    mask.zero_()
    with torch.no_grad():
        token_losses.zero_()
    return token_losses.sum()
