"""Thought: "`.grad` is None where nothing was back-propagated, so reduce only the gradients that exist."

On a rank without tokens none exists, and the all-reduce that the others have entered waits for it.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        if mask.any():
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (loss / count).backward()
    for parameter in model.parameters():
        if parameter.grad is not None:
            dist.all_reduce(parameter.grad, group=group)
    optimizer.step()
