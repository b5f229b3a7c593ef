# ruff: noqa
"""Takes memory in many processes, each below its own limit.

Outcome: limit|error|timeout|invalid|desync
Runs: containers
"""

import os
import time


def scale_loss(token_losses, mask):
    for _ in range(12):
        if os.fork() == 0:
            kept = [bytearray(os.urandom(1 << 20)) * 400]
            time.sleep(600)
            os._exit(len(kept))
    time.sleep(600)
