# ruff: noqa
"""Forks without end, each child in a session of its own.

Outcome: limit|timeout|error|wrong|desync|invalid
Runs: containers
"""

import contextlib
import os


def scale_loss(token_losses, mask):
    while True:
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                os.setsid()
