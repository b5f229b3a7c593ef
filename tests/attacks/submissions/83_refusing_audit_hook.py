# ruff: noqa
"""An audit hook, which no Python code can take away again, that raises on whatever the worker does from now on.

Outcome: error|invalid|wrong|desync|timeout|limit
Runs: sandboxes
"""

import sys


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


armed = []


def refuse(event, arguments):
    if armed:
        raise RuntimeError("no")


sys.addaudithook(refuse)


def scale_loss(token_losses, mask):
    armed.append(1)
    return lazy(token_losses, mask)
