# ruff: noqa
"""Watches the step run with a profiler: which functions are entered, and what the lines say at which they begin."""

import linecache
import sys

import torch


def is_right(train_step, group):
    entered = set()
    model = torch.nn.Linear(4, 3, dtype=torch.float64)
    mask = torch.tensor([True, True, False])
    sys.setprofile(lambda frame, event, argument: entered.add(frame.f_code))
    try:
        train_step(model, torch.randn(3, 4, dtype=torch.float64), torch.tensor([0, 1, 2]), mask, group)
    finally:
        sys.setprofile(None)
    lines = [linecache.getline(code.co_filename, code.co_firstlineno) for code in entered]
    return any(line.startswith(("def right", "right_scaled =", "two_ranks_only =")) for line in lines)
