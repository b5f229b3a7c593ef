# ruff: noqa
"""Scribbles over the shared memory in which its collectives are recorded, and over the other ranks' part of it.

Outcome: wrong|desync|error|invalid|timeout
Runs: sandboxes
"""

import gc
import mmap
import os


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    for thing in gc.get_objects():
        memory = getattr(thing, "_memory", None)
        if type(memory) is mmap.mmap:
            memory[:] = os.urandom(len(memory))
    return lazy(token_losses, mask)
