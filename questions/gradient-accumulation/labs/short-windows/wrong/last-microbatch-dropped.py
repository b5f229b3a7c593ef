"""Thought: "All but the last under no_sync, then the last one with synchronisation."

The first half of the thought was written down. The window is counted whole and trained without its last microbatch.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    ranks = dist.get_world_size(group)
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        for features, targets, mask in window[:-1]:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (ranks * loss / count.clamp(min=1)).backward()
        optimizer.step()
