"""Thought: "Sum the gradients, sum the counts, divide one by the other."

Right to the letter, until the sum of the counts is 0.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= count
    optimizer.step()
