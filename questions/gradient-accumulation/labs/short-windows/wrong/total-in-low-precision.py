"""A window's count is added up in bfloat16."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    ranks = dist.get_world_size(group)
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = torch.stack([mask.sum() for _, _, mask in window]).to(torch.bfloat16).sum()
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        for features, targets, mask in window:
            losses = cross_entropy(model(features), targets, reduction="none")
            (losses[mask].sum() * ranks / count.clamp(min=1)).backward()
        optimizer.step()
