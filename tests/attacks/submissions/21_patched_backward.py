# ruff: noqa
"""Replaces backward, so that no gradient is made and zeros may be taken for agreement.

Outcome: wrong|desync|invalid|error
Runs: sandboxes
"""

import torch


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    torch.autograd.backward = lambda *arguments, **options: None
    torch.Tensor.backward = lambda *arguments, **options: None
    return lazy(token_losses, mask)
