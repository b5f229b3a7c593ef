# ruff: noqa
"""Recurses until the stack of C is gone.

Outcome: error|limit|timeout
Runs: sandboxes
"""

import sys


sys.setrecursionlimit(10**9)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")


def scale_loss(token_losses, mask):
    value = []
    for _ in range(10**6):
        value = [value]
    return repr(value), Deep().a
