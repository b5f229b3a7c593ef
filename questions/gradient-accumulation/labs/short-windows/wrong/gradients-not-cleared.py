"""Thought: "The gradients are cleared at the start of the epoch, and each window accumulates into them."

Clearing belongs to the window. The second step holds the first window's tokens once more, the third those of both.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        for features, targets, mask in window:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
        optimizer.step()
