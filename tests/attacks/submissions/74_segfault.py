# ruff: noqa
"""Reads memory that is not there.

Outcome: error
Runs: sandboxes
"""

import ctypes


def scale_loss(token_losses, mask):
    ctypes.string_at(1)
