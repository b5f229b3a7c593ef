# ruff: noqa
"""Fills files that are in memory alone, which count for none of its limits and go with no process that is ended first.

Outcome: limit|error|timeout
Runs: containers
"""

import os


def scale_loss(token_losses, mask):
    kept = []
    while True:
        kept.append(os.memfd_create("of no process"))
        for _ in range(48):
            os.write(kept[-1], bytes(1 << 20))
