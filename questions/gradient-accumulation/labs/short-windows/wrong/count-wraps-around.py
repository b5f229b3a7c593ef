"""A mask is a row of bytes, and its sum is kept as one."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    ranks = dist.get_world_size(group)
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = torch.cat([mask for _, _, mask in window]).sum(dtype=torch.uint8)
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        for features, targets, mask in window:
            losses = cross_entropy(model(features), targets, reduction="none")
            (losses[mask].sum() * ranks / max(count.item(), 1)).backward()
        optimizer.step()
