# ruff: noqa
"""Ends its main thread and no other, so that its process is neither there nor gone.

Outcome: timeout
Runs: sandboxes
"""

import ctypes
import platform
import threading
import time


EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]


def scale_loss(token_losses, mask):
    threading.Thread(target=time.sleep, args=(10**6,)).start()
    ctypes.CDLL(None).syscall(EXIT, 0)
