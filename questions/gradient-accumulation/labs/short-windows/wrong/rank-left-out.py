"""Thought: "If my window holds no valid token, I have nothing to train on: next window."

The other ranks stand in the all-reduce of the count, and wait for this one.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        optimizer.zero_grad()
        if count > 0:
            dist.all_reduce(count, group=group)
            for features, targets, mask in window:
                loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
                (dist.get_world_size(group) * loss / count).backward()
        optimizer.step()
