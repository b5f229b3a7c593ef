"""Thought: "A window is `accumulate` microbatches, so an epoch has len // accumulate of them."

The integer division rounds the tail away: its microbatches are never trained on, in any epoch.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for number in range(len(microbatches) // accumulate):
        window = microbatches[number * accumulate : (number + 1) * accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        for features, targets, mask in window:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
        optimizer.step()
