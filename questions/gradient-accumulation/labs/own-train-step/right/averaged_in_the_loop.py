"""The accumulated gradient is averaged after every microbatch: what is an average already stays one."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    ranks = dist.get_world_size(group)
    count = torch.stack([mask.sum() for _, _, mask in microbatches]).sum()
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        ((losses * mask).sum() * ranks / count.clamp(min=1)).backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad, group=group)
            parameter.grad /= ranks
    optimizer.step()
