"""Thought: "A bad loss is NaN, so all ranks ask each other for NaN."

A loss can overflow, or be the logarithm of 0: it is infinite, isn't NaN, and its gradient is of no more use.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    loss_sum = cross_entropy(model(features), targets, reduction="none")[mask].sum()
    agreed = torch.stack([mask.sum().to(loss_sum.dtype), loss_sum.detach().isnan().to(loss_sum.dtype)])
    dist.all_reduce(agreed, group=group)
    count, complaints = agreed.tolist()
    if count == 0 or complaints > 0:
        return
    optimizer.zero_grad()
    (loss_sum * dist.get_world_size(group) / count).backward()
    optimizer.step()
