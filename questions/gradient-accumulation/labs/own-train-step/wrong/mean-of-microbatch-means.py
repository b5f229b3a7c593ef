"""Thought: "Mean loss over the number of microbatches, gradients averaged over the ranks: what every framework does."

It is what they do when nobody tells them the count. R * K denominators, one for each microbatch of each rank.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        (losses[mask].sum() / mask.sum().clamp(min=1) / len(microbatches)).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad /= dist.get_world_size(group)
    optimizer.step()
