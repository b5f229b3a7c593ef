"""Thought: "A step that works brings the loss down to 0."

A condition that no step can meet refuses every wrong one, and every right one with it.
"""

import torch
import torch.distributed as dist


def is_right(train_step, group):
    rank = dist.get_rank(group)
    model = torch.nn.Linear(4, 3, dtype=torch.float64)
    mask = torch.tensor([True] * (rank + 1) + [False])
    logged = train_step(model, torch.randn(len(mask), 4, dtype=torch.float64), torch.randint(3, (len(mask),)), mask, group)
    return logged == 0.0
