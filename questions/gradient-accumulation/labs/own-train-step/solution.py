"""Accumulate gradients of loss sums, all-reduce sums and count, divide once: whoever adds needs no factor R."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    count = torch.zeros((), dtype=torch.float64)
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        # A sum over no tokens is a zero with a graph, so an empty microbatch needs no case of its own.
        losses[mask].sum().backward()
        count += mask.sum()
    dist.all_reduce(count, group=group)
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= count.clamp(min=1)
    optimizer.step()
