"""Uses DDP for nothing but its forward: gradients are taken with autograd.grad, added up, and reduced in one flat bucket."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def train_window(model, microbatches, optimizer, group):
    parameters = list(model.module.parameters())
    bucket = torch.zeros(sum(p.numel() for p in parameters) + 1, dtype=torch.float64)
    for features, targets, mask in microbatches:
        losses = cross_entropy(model.module(features), targets, reduction="none")
        gradients = torch.autograd.grad(losses[mask].sum(), parameters)
        bucket[:-1] += parameters_to_vector(gradients)
        bucket[-1] += mask.sum()  # the count travels with the sums: one collective for the whole window
    dist.all_reduce(bucket, group=group)
    for parameter in parameters:
        parameter.grad = torch.empty_like(parameter)
    vector_to_parameters(bucket[:-1] / bucket[-1].clamp(min=1), [p.grad for p in parameters])
    optimizer.step()
