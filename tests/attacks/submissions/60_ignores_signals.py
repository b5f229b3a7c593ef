# ruff: noqa
"""Ignores every signal that can be ignored and runs for ever.

Outcome: timeout
Runs: sandboxes
"""

import contextlib
import signal


def scale_loss(token_losses, mask):
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        pass
