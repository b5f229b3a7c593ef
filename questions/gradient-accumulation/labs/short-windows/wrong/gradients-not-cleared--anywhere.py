"""Thought: "A step uses the gradients up."

A step reads them. Without zero_grad they stay, and every step of the run takes all earlier windows along.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    ranks = dist.get_world_size(group)
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        for features, targets, mask in window:
            losses = cross_entropy(model(features), targets, reduction="none")
            (losses[mask].sum() * (ranks / count.clamp(min=1).double())).backward()
        optimizer.step()
