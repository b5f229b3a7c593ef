"""Thought: "A microbatch without a valid token adds nothing; on to the next."

Under DDP each backward is a collective. A rank that makes fewer of them than the others leaves them waiting.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        if not mask.any():
            continue
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        (loss * dist.get_world_size(group) / count).backward()
    optimizer.step()
