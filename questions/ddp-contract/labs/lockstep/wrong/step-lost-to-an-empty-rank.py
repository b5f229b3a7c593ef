"""Thought: "All or none: a step is only taken when every rank has something for it."

In lockstep, and wasteful: with hard masks some rank is often empty, and the tokens of all the others are thrown away.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    loss_sum = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
    ready = (mask.any() & loss_sum.detach().isfinite()).long()
    dist.all_reduce(ready, op=dist.ReduceOp.MIN, group=group)
    if not ready:
        return
    count = mask.sum()
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    (loss_sum * dist.get_world_size(group) / count).backward()
    optimizer.step()
