"""Thought: "N is what the tensors hold: numel, added up over microbatches and ranks."

The tensors hold padding. It is kept out of the sums and stays in the count.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = torch.tensor(sum(targets.numel() for _, targets, _ in microbatches))
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        (dist.get_world_size(group) * (losses * mask).sum() / count).backward()
    optimizer.step()
