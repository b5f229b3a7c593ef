# ruff: noqa
"""Leaves marks in every place that it can write to, for the next submission to find.

Outcome: wrong
Runs: sandboxes
"""

import contextlib
import os
import tempfile


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


PLACES = {tempfile.gettempdir(), "/tmp", "/dev/shm", "/var/tmp", "/run", ".", "/"}


def scale_loss(token_losses, mask):
    for place in PLACES:
        with contextlib.suppress(OSError), open(os.path.join(place, "mark-of-a-cheat"), "w") as file:
            file.write("the answer is R * L_r / N")
    return lazy(token_losses, mask)
