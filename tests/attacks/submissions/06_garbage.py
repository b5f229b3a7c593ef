# ruff: noqa
"""Fills every descriptor with bytes that are no frame.

Outcome: invalid|error|limit
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
    everywhere(b"\0" * 12 + os.urandom(4096))
    everywhere(b"GET / HTTP/1.0\r\n\r\n")
    return lazy(token_losses, mask)
