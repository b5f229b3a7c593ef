"""Thought: "The last microbatch needs no no_sync, so I keep it out of the loop and come back to it."

Nobody came back. Its tokens are in the count and not in the gradient.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    *head, last = microbatches
    count = sum(mask.sum() for _, _, mask in [*head, last])
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in head:
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (dist.get_world_size(group) * loss / count.clamp(min=1)).backward()
    optimizer.step()
