"""Thought: "If the step runs through without an error, it works."

Not one of the wrong ones raises an error.
"""

import torch
import torch.distributed as dist


def is_right(train_step, group):
    rank = dist.get_rank(group)
    model = torch.nn.Linear(4, 3, dtype=torch.float64)
    mask = torch.tensor([True] * (rank + 1) + [False])
    try:
        train_step(model, torch.randn(len(mask), 4, dtype=torch.float64), torch.randint(3, (len(mask),)), mask, group)
    except RuntimeError:
        return False
    return True
