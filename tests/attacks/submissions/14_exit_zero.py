# ruff: noqa
"""Ends the process with status 0, which a careless runner takes for success.

Outcome: error
Runs: sandboxes
"""

import os


def scale_loss(token_losses, mask):
    os._exit(0)
