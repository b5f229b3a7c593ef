"""Thought: "The whole window goes under no_sync; when the context ends, DDP catches up."

Leaving the context reduces nothing. The next backward outside it would, and there is none before the step.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        with model.no_sync():
            for features, targets, mask in window:
                loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
                (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
        optimizer.step()
