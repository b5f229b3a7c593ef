"""Thought: "Everyone in lockstep, with the mean of what it has; an empty rank's mean is a connected zero."

The lockstep is right. The average is of ranks, so a sparse rank's tokens weigh more, and an empty rank damps the step.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum") / mask.sum().clamp(min=1)
    agreed = torch.stack([mask.sum().double(), (~loss.detach().isfinite()).double()])
    dist.all_reduce(agreed, group=group)
    if agreed[0] == 0 or agreed[1] > 0:
        return
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
