"""Thought: "DDP averages over the ranks, so I divide by the average count. At least 1, to be safe."

The average count is below 1 where the window has fewer tokens than there are ranks; the guard then changes it.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        mean_count = (count / dist.get_world_size(group)).clamp(min=1)
        optimizer.zero_grad()
        for features, targets, mask in window:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (loss / mean_count).backward()
        optimizer.step()
