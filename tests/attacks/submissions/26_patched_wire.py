# ruff: noqa
"""Replaces the worker's own encoder, so that another result is sent.

Outcome: wrong|invalid|error|desync|timeout|limit
Runs: sandboxes
"""

import sys


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


wire = sys.modules["quizapp_sandbox.wire"]
honest = wire.encode


def encode(sent):
    zeros = {name: wire.Array(array.dtype, array.shape, bytes(len(array.data))) for name, array in sent.arrays.items()}
    return honest(wire.Frame("result", {"state": "observed", "outcome": "pass"}, zeros))


wire.encode = encode


def scale_loss(token_losses, mask):
    return lazy(token_losses, mask)
