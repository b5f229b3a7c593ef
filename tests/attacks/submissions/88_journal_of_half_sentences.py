# ruff: noqa
"""Records calls that it never made, whose names are half of what others are parsed by, and then waits.

Outcome: desync|timeout
Runs: sandboxes
"""

import sys
import time


def scale_loss(token_losses, mask):
    kept = sys.modules["quizapp_sandbox.recorder"]._recording
    call = sys.modules["quizapp_sandbox.journal"].Collective
    for manner in ("among ranks , ,", "among ranks 0, ", "among ranks \u0663", "x | y | z", "\x1b[2J", f"rank {kept.rank}"):
        kept.journal.append(kept.rank, call("#\u00b2 all_reduce", "[1,,2] float64", True, "at line 999999999", manner))
    while True:
        time.sleep(1)
