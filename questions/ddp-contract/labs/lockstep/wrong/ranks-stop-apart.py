"""Thought: "If my loss isn't finite, I don't step."

By then its NaN has been averaged into everyone's gradient. The others step on it, and the replicas part.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    count = mask.sum()
    dist.all_reduce(count, group=group)
    if count == 0:
        return
    optimizer.zero_grad()
    loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum") * dist.get_world_size(group) / count
    loss.backward()
    if loss.isfinite():
        optimizer.step()
