"""Gradients are added up from rank to rank, and only the last rank has them all: nobody passes the sum back."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    rank, ranks = dist.get_rank(group), dist.get_world_size(group)
    count = sum(mask.sum() for _, _, mask in microbatches).double()
    optimizer.zero_grad(set_to_none=False)
    for features, targets, mask in microbatches:
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
    dist.all_reduce(count, group=group)
    for parameter in model.parameters():
        before = torch.zeros_like(parameter)
        if rank > 0:
            dist.recv(before, rank - 1, group=group)
        parameter.grad += before
        if rank < ranks - 1:
            dist.send(parameter.grad, rank + 1, group=group)
        parameter.grad /= count.clamp(min=1)
    optimizer.step()
