# ruff: noqa
"""Sends a result of zeros to the judge's stream by every descriptor, and leaves before the real one is made.

Outcome: invalid|error|wrong
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


def scale_loss(token_losses, mask):
    table = [["gradients", "float64", [1, 3]], ["steps", "int64", [1]]]
    everywhere(frame({"kind": "result", "data": {"state": "observed"}, "arrays": table}, bytes(24) + struct.pack("<q", 1)))
    os._exit(0)
