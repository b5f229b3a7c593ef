# ruff: noqa
"""Leaves a process in a session of its own that outlives its parent and eats a core.

Outcome: wrong
Runs: sandboxes
"""

import os


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                pass
        os._exit(0)
    return lazy(token_losses, mask)
