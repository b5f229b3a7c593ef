"""Sums first, the denominator last: nothing has to be known before the last backward, so microbatches may come from a stream."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    local = torch.zeros(1, dtype=torch.float64)
    stream = iter(microbatches)
    held = next(stream, None)
    while held is not None:
        features, targets, mask = held
        held = next(stream, None)  # one ahead, to know the last when it comes
        model.require_backward_grad_sync = held is None
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
        local += mask.sum()
    dist.all_reduce(local, group=group)
    scale = dist.get_world_size(group) / local.clamp(min=1)
    for parameter in model.parameters():
        parameter.grad.mul_(scale)
    optimizer.step()
