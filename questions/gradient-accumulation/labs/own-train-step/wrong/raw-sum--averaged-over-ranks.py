"""Thought: "I hand in sums; averaging over the ranks makes a mean of them."

A mean over ranks. It changes with the number of tokens as before.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        losses[mask].sum().backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
        parameter.grad.div_(dist.get_world_size(group))
    optimizer.step()
