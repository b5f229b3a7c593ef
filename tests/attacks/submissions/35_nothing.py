# ruff: noqa
"""Gives zero everywhere, as where every token is padding.

Outcome: wrong
Runs: sandboxes
"""


def scale_loss(token_losses, mask):
    return token_losses.sum() * 0.0
