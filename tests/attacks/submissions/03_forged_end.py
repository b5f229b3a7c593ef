# ruff: noqa
"""Plays the agent: sends the frames that end a run, hoping that they reach the host.

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
    scenario = {"index": 0, "end": "clean", "ranks": [{"state": "observed"}] * 2, "mismatch": None, "output": ["", ""]}
    everywhere(frame({"kind": "scenario", "data": scenario, "arrays": []}) + frame({"kind": "done", "data": {}, "arrays": []}))
    return lazy(token_losses, mask)
