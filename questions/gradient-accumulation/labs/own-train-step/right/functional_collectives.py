"""Gradients as values: autograd.grad, one flat vector, functional collectives that return their result."""

import torch
from torch.distributed._functional_collectives import all_reduce
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    parameters = list(model.parameters())
    features, targets, mask = (torch.cat(parts) for parts in zip(*microbatches, strict=True))
    loss = cross_entropy(model(features), targets.masked_fill(~mask, -100), ignore_index=-100, reduction="sum")
    flat = torch.cat([gradient.flatten() for gradient in torch.autograd.grad(loss, parameters)])
    flat = all_reduce(flat, "sum", group) / all_reduce(mask.sum(), "sum", group).clamp(min=1)
    sizes = [parameter.numel() for parameter in parameters]
    for parameter, piece in zip(parameters, flat.split(sizes), strict=True):
        parameter.grad = piece.view_as(parameter)
    optimizer.step()
