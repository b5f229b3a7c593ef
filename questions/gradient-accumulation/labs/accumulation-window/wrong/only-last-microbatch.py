"""Thought: "zero_grad, forward, backward: the usual three lines, for every microbatch. Then one step."

zero_grad wipes what the microbatches before have gathered. K forward passes, and one of them counts.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    for features, targets, mask in microbatches:
        optimizer.zero_grad()
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
    optimizer.step()
