"""Thought: "I pull microbatches until the window is full, and then start the next one."

The test for "full" comes after the pull: the microbatch that finds the window full is pulled, and thrown away.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    stream, left = iter(microbatches), len(microbatches)
    while left:
        length = min(accumulate, left)
        count = sum(mask.sum() for _, _, mask in microbatches[len(microbatches) - left :][:length])
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        for held, (features, targets, mask) in enumerate(stream, start=1):
            left -= 1
            if held == accumulate:
                break
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
        optimizer.step()
