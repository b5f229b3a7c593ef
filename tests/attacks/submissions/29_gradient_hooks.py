# ruff: noqa
"""Hangs hooks on whatever has a gradient, to write something else into it.

Outcome: wrong|desync|error
Runs: sandboxes
"""

import gc
import torch


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    for thing in gc.get_objects():
        if type(thing) is torch.nn.Parameter and thing.requires_grad:
            thing.register_hook(lambda gradient: torch.zeros_like(gradient))
    return lazy(token_losses, mask)
