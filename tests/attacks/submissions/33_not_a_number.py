# ruff: noqa
"""Gives NaN, for which a careless comparison is neither more nor less than the tolerance.

Outcome: wrong
Runs: sandboxes
"""


def scale_loss(token_losses, mask):
    return token_losses.sum() * float("nan")
