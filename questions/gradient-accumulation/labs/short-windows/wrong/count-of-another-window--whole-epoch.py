"""Thought: "The tokens of the data set are known, so that is my N."

That is the mean over the epoch, spread over its steps: each step is too small by the share of the epoch that it holds.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    total = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(total, group=group)
    last = len(microbatches) - 1
    for index, (features, targets, mask) in enumerate(microbatches):
        if index % accumulate == 0:
            optimizer.zero_grad()
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / total.clamp(min=1)).backward()
        if index == last or (index + 1) % accumulate == 0:
            optimizer.step()
