"""The count is sent as a signed byte."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    count = torch.zeros(1, dtype=torch.int8)
    for features, targets, mask in microbatches:
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
        count += mask.sum()
    dist.all_reduce(count, group=group)
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= max(count.item(), 1)
    optimizer.step()
