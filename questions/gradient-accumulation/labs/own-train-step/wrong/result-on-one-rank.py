"""Thought: "Rank 0 gathers the gradients and adds them up."

Rank 0 then steps with the right gradient, and every other rank with its own part of it.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (loss / count.clamp(min=1)).backward()
    for parameter in model.parameters():
        if dist.get_rank(group) == 0:
            parts = [torch.empty_like(parameter.grad) for _ in range(dist.get_world_size(group))]
            dist.gather(parameter.grad, parts, dst=0, group=group)
            parameter.grad = torch.stack(parts).sum(dim=0)
        else:
            dist.gather(parameter.grad, dst=0, group=group)
    optimizer.step()
