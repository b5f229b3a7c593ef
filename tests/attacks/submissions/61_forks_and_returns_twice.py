# ruff: noqa
"""Forks in the middle: parent and child both return, and both send a result.

Outcome: invalid|wrong|desync|error|timeout
Runs: sandboxes
"""

import os


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    os.fork()
    return lazy(token_losses, mask)
