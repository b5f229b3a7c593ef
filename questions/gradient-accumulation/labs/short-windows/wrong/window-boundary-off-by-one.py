"""Thought: "Step whenever the index is a multiple of `accumulate`."

Zero is a multiple of everything: the first step comes after one microbatch, and every window after it is shifted by one.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    seen = torch.zeros((), dtype=torch.int64)
    for index, (features, targets, mask) in enumerate(microbatches):
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
        seen += mask.sum()
        if index % accumulate == 0:
            dist.all_reduce(seen, group=group)
            for parameter in model.parameters():
                parameter.grad.mul_(dist.get_world_size(group) / seen.clamp(min=1))
            optimizer.step()
            optimizer.zero_grad()
            seen.zero_()
