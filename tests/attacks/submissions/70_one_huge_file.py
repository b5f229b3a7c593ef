# ruff: noqa
"""Writes one file beyond its limit, having made sure that the signal for it is ignored.

Outcome: error|limit|timeout
Runs: sandboxes
"""

import signal
import tempfile


def scale_loss(token_losses, mask):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        while True:
            file.write(b"\1" * (8 << 20))
