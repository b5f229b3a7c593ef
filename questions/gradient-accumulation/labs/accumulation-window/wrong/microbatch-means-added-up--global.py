"""Thought: "Each microbatch is a proper global mean: R over the all-reduced count. What can be wrong with their sum?"

That it is a sum. Each microbatch takes a whole step's worth of weight.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        count = mask.sum()
        dist.all_reduce(count, group=group)
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
    optimizer.step()
