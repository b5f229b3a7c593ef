# ruff: noqa
"""Raises an exception with hundreds of megabytes of text.

Outcome: error|invalid|limit|timeout
Runs: containers
"""


def scale_loss(token_losses, mask):
    raise ValueError("x" * (300 << 20))
