"""Thought: "all_reduce does for gradients what DDP does."

DDP divides by R after it. SUM alone adds the ranks' means up, and the step grows with every rank that joins.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    count = max(sum(int(mask.sum()) for _, _, mask in microbatches), 1)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        (cross_entropy(model(features)[mask], targets[mask], reduction="sum") / count).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
    optimizer.step()
