"""Thought: "Microbatches differ in size, so I weigh each mean with its share of the window: len(batch) / total."

The size of a batch counts its padding, the mean doesn't. The two denominators don't cancel.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    total = torch.tensor(sum(len(features) for features, _, _ in microbatches))
    dist.all_reduce(total, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        mean = losses[mask].sum() / mask.sum().clamp(min=1)
        (dist.get_world_size(group) * mean * len(features) / total).backward()
    optimizer.step()
