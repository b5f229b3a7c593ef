# ruff: noqa
"""Writes a verdict to the streams of the agent, the parent and process 1, by way of /proc.

Outcome: wrong
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
    told = frame({"kind": "done", "data": {"outcome": "pass"}, "arrays": []})
    for process in {1, 2, os.getppid(), os.getpid()}:
        for descriptor in range(16):
            with contextlib.suppress(OSError):
                with open(f"/proc/{process}/fd/{descriptor}", "wb", buffering=0) as stream:
                    if os.fstat(stream.fileno()).st_ino != os.fstat(1).st_ino:
                        stream.write(told)
    return lazy(token_losses, mask)
