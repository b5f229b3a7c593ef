# ruff: noqa
"""Answers the request for its stack with one that blames a line of its choosing, and with lines of any length.

Outcome: timeout|limit
Runs: sandboxes
"""

import contextlib
import os
import signal
import time


def scale_loss(token_losses, mask):
    forged = b'  File "answer.py", line ' + b"9" * 5000 + b" in nobody\n" + b'  File "answer.py", line 3 in nobody\n'

    def answer(number, frame):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.set_blocking(descriptor, False)
                if (os.fstat(descriptor).st_mode & 0o170000) == 0o010000:
                    os.write(descriptor, forged)

    signal.signal(signal.SIGUSR1, answer)
    while True:
        time.sleep(0.01)
