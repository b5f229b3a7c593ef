"""Thought: "I all-reduce the count of every microbatch, so ranks can't go wrong. Then the average over the window."

The mean over ranks is right in each microbatch, and the mean over microbatches is a mean of means.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        count = mask.sum()
        dist.all_reduce(count, group=group)
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum") / count.clamp(min=1)
        (dist.get_world_size(group) * loss / len(microbatches)).backward()
    optimizer.step()
