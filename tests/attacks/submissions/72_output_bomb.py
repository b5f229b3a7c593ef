# ruff: noqa
"""Prints a gigabyte.

Outcome: limit
Runs: sandboxes
"""

import os


def scale_loss(token_losses, mask):
    line = b"x" * (1 << 20)
    for _ in range(1024):
        os.write(1, line)
    return token_losses.sum()
