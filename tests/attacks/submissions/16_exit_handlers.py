# ruff: noqa
"""Forges a result when the interpreter leaves.

Outcome: error|invalid|wrong
Runs: sandboxes
"""

import atexit
import contextlib
import json
import os
import struct
import sys


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
    atexit.register(lambda: everywhere(frame({"kind": "result", "data": {"state": "observed"}, "arrays": []})))
    raise SystemExit(0)
