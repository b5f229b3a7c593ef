# ruff: noqa
"""Fills the folder for temporary files, with many files below the limit of one.

Outcome: error|limit|timeout
Runs: containers
"""

import tempfile


def scale_loss(token_losses, mask):
    kept = []
    while True:
        kept.append(tempfile.NamedTemporaryFile(delete=False))
        kept[-1].write(b"\1" * (8 << 20))
        kept[-1].flush()
