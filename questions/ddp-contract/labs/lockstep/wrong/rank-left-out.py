"""Thought: "Nothing to train on here, so on to the next batch."

The others are already waiting for this rank's count. It comes one step later, and is paired with the wrong step.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    if not mask.any():
        return
    loss_sum = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
    agreed = torch.stack([mask.sum().double(), (~loss_sum.detach().isfinite()).double()])
    dist.all_reduce(agreed, group=group)
    count, complaints = agreed.tolist()
    if complaints:
        return
    optimizer.zero_grad()
    (loss_sum * dist.get_world_size(group) / count).backward()
    optimizer.step()
