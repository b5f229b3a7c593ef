# ruff: noqa
"""Starts threads until no more can be.

Outcome: error|limit|timeout
Runs: containers
"""

import threading
import time


def scale_loss(token_losses, mask):
    while True:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
