"""Thought: "After each backward the gradients are summed over the ranks."

After the second backward `.grad` holds the first microbatch's sum over ranks, R times over as the ranks add it up again.
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
    optimizer.step()
