"""Thought: "Rank 0 broadcasts its gradient, and then all ranks hold the same."

The same, and rank 0's. What the other ranks computed is overwritten.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    count = max(sum(int(mask.sum()) for _, _, mask in microbatches), 1)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        (cross_entropy(model(features)[mask], targets[mask], reduction="sum") / count).backward()
    for parameter in model.parameters():
        dist.broadcast(parameter.grad, src=0, group=group)
    optimizer.step()
