"""Thought: "Accumulate, reduce, step. zero_grad would undo the accumulation."

The second step finds the first one's reduced gradient in `.grad` on every rank, and the sum over ranks makes R of it.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (loss / count.clamp(min=1)).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
    optimizer.step()
