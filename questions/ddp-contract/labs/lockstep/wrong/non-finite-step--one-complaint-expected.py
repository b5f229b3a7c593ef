"""Thought: "One rank has a bad loss, so the complaints add up to 1."

Two ranks can have one in the same step, and then they add up to 2.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    losses = cross_entropy(model(features), targets, reduction="none")
    loss_sum = losses[mask].sum()
    agreed = torch.stack([mask.sum().to(loss_sum.dtype), (~loss_sum.detach().isfinite()).to(loss_sum.dtype)])
    dist.all_reduce(agreed, group=group)
    count, complaints = agreed.tolist()
    if count == 0 or complaints == 1:
        return
    optimizer.zero_grad()
    (loss_sum * dist.get_world_size(group) / count).backward()
    optimizer.step()
