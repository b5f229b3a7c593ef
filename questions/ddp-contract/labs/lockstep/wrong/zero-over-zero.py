"""Thought: "Corrupt samples show in the logits, so those are what I check. The loss is then safe."

It is, until the global count is 0. That NaN is made after the check.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    out = model(features)
    agreed = torch.stack([mask.sum().double(), (~out.detach()[mask].isfinite()).any().double()])
    dist.all_reduce(agreed, group=group)
    if agreed[1] > 0:
        return
    optimizer.zero_grad()
    losses = cross_entropy(out, targets, reduction="none")
    ((losses * mask).sum() * dist.get_world_size(group) / agreed[0]).backward()
    optimizer.step()
