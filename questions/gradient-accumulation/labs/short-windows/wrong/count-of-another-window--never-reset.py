"""Thought: "I count tokens as they come, and scale the sums by the count at the step."

The gradients start anew after a step, the count doesn't: step by step the learning rate falls.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    seen = torch.zeros((), dtype=torch.float64)
    for index, (features, targets, mask) in enumerate(microbatches, start=1):
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
        seen += mask.sum()
        if index % accumulate == 0 or index == len(microbatches):
            everywhere = seen.clone()
            dist.all_reduce(everywhere, group=group)
            for parameter in model.parameters():
                parameter.grad *= dist.get_world_size(group) / everywhere.clamp(min=1)
            optimizer.step()
            optimizer.zero_grad()
