"""Thought: "Without any token the gradient is zero, and a step with a zero gradient does nothing."

For plain SGD. Momentum goes on rolling, AdamW decays the weights, and the schedule counts a step that trained on nothing.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    loss_sum = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
    agreed = torch.stack([mask.sum().double(), (~loss_sum.detach().isfinite()).double()])
    dist.all_reduce(agreed, group=group)
    if agreed[1] > 0:
        return
    optimizer.zero_grad()
    (loss_sum * dist.get_world_size(group) / agreed[0].clamp(min=1)).backward()
    optimizer.step()
