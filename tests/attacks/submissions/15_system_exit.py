# ruff: noqa
"""Raises SystemExit(0) from inside the backward, past the drive.

Outcome: error
Runs: sandboxes
"""

import sys


def scale_loss(token_losses, mask):
    loss = token_losses.sum()
    loss.register_hook(lambda gradient: sys.exit(0))
    return loss
