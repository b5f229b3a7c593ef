"""Thought: "The ranks agree on each microbatch's count, so that each backward is a global mean. Then average over the window."

The mean over ranks is right now. The mean over microbatches is still one of means.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        optimizer.zero_grad()
        for features, targets, mask in window:
            count = mask.sum()
            dist.all_reduce(count, group=group)
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum") / count.clamp(min=1)
            (dist.get_world_size(group) * loss / len(window)).backward()
        optimizer.step()
