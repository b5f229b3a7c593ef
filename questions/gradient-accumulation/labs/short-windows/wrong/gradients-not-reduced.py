"""Thought: "Synchronise on every multiple of `accumulate`; after the loop, flush what is left."

The flush steps, but no microbatch of the short window was the synchronising one: each rank steps with its own gradient.
"""

from contextlib import nullcontext

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    for index, (features, targets, mask) in enumerate(microbatches):
        if index % accumulate == 0:
            count = sum(later.sum() for _, _, later in microbatches[index : index + accumulate])
            dist.all_reduce(count, group=group)
        boundary = (index + 1) % accumulate == 0
        with nullcontext() if boundary else model.no_sync():
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
        if boundary:
            optimizer.step()
            optimizer.zero_grad()
    if len(microbatches) % accumulate:
        optimizer.step()
        optimizer.zero_grad()
