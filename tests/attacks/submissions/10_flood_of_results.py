# ruff: noqa
"""Thousands of results at once, so that one of them may be taken for the next scenario's.

Outcome: invalid|error
Runs: sandboxes
"""

import contextlib
import json
import os
import struct


def frame(header, payload=b"", length=None, size=None):
    """Bytes as the worker's own frames have them."""
    text = json.dumps(header).encode()
    return struct.pack(">IQ", len(text) if length is None else length, len(payload) if size is None else size) + text + payload


def everywhere(data):
    """Writes to every descriptor that takes it."""
    for descriptor in range(256):
        with contextlib.suppress(OSError):
            os.set_blocking(descriptor, False)
            os.write(descriptor, data)


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    table = [["gradients", "float64", [1, 3]], ["steps", "int64", [1]]]
    one = frame({"kind": "result", "data": {"state": "observed"}, "arrays": table}, bytes(24) + struct.pack("<q", 1))
    for _ in range(50):
        everywhere(one * 100)
    return lazy(token_losses, mask)
