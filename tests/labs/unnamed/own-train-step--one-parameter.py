"""Divides the gradient of the last parameter alone: a line has slipped out of the loop."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    count = torch.zeros((), dtype=torch.float64)
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        losses[mask].sum().backward()
        count += mask.sum()
    dist.all_reduce(count, group=group)
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
    parameter.grad /= count.clamp(min=1)
    optimizer.step()
