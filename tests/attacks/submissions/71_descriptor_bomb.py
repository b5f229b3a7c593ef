# ruff: noqa
"""Opens descriptors until there are none, so that whoever must open one fails.

Outcome: error|invalid
Runs: sandboxes
"""

import os


def scale_loss(token_losses, mask):
    while True:
        os.dup(0)
