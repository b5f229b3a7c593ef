"""Thought: "I step on every multiple of `accumulate`, and each epoch starts with clean gradients."

The tail's gradients are computed, paid for, and wiped by the zero_grad of the next epoch.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    for index, (features, targets, mask) in enumerate(microbatches):
        if index % accumulate == 0:
            count = sum(later.sum() for _, _, later in microbatches[index : index + accumulate])
            dist.all_reduce(count, group=group)
        losses = cross_entropy(model(features), targets, reduction="none")
        (dist.get_world_size(group) * (losses * mask).sum() / count.clamp(min=1)).backward()
        if (index + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
