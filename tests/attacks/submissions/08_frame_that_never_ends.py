# ruff: noqa
"""Announces a frame of a few megabytes and sends it drop by drop, so that the reader waits for ever.

Outcome: timeout|invalid|error
Runs: sandboxes
"""

import contextlib
import json
import os
import struct
import time


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
    everywhere(frame({"kind": "result", "data": {}, "arrays": []}, size=7 << 20))
    while True:
        time.sleep(0.2)
        everywhere(b"\0")
