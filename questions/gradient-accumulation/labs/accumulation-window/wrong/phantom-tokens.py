"""Thought: "A microbatch without tokens must not divide by zero, so each count is at least 1."

Nothing divides by a microbatch's count here. The guards only add tokens to the window that nobody has.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = sum(mask.sum().clamp(min=1) for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count).backward()
    optimizer.step()
