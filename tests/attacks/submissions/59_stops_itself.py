# ruff: noqa
"""Stops its own process, so that it neither runs nor ends.

Outcome: timeout
Runs: sandboxes
"""

import os
import signal


def scale_loss(token_losses, mask):
    os.kill(os.getpid(), signal.SIGSTOP)
    return token_losses.sum()
