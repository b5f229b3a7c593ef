# ruff: noqa
"""Kills every process that it can see, the other ranks and those of other groups included.

Outcome: error|limit|timeout|wrong
Runs: containers
"""

import os
import signal
import time


def scale_loss(token_losses, mask):
    for _ in range(20):
        os.kill(-1, signal.SIGKILL)
        time.sleep(0.05)
    return token_losses.sum()
