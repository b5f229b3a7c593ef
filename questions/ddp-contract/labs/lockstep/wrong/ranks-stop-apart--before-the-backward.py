"""Thought: "A loss that isn't finite must not get into the gradients, so I leave before backward."

The rank that saw it leaves; the others enter DDP's all-reduce and wait there.
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
    if not loss.isfinite():
        return
    loss.backward()
    optimizer.step()
