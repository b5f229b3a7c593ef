"""Thought: "R * L / N, averaged over the ranks. I clear gradients where I create the optimizer."

The average of equal numbers leaves the old gradient as it is: each step is the sum of all steps so far.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    ranks = dist.get_world_size(group)
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        (ranks * losses[mask].sum() / count.clamp(min=1)).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= ranks
    optimizer.step()
