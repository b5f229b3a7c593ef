# ruff: noqa
"""Aborts, as gloo itself does when sizes differ.

Outcome: error|desync
Runs: sandboxes
"""

import os


def scale_loss(token_losses, mask):
    os.abort()
