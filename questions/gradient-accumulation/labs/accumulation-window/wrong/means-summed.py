"""Thought: "The loss is the mean over my window. DDP divides by the world size, so I multiply by it."

The factor undoes an average that was meant: what is left is the sum of the ranks' means.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches).clamp(min=1)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (loss * dist.get_world_size(group) / count).backward()
    optimizer.step()
