"""Thought: "No valid token in my window: no gradient, so a step with none. Return early."

It returns before the all-reduce of the count, in which the other ranks now wait.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    if not any(mask.any() for _, _, mask in microbatches):
        optimizer.step()
        return
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count).backward()
    optimizer.step()
