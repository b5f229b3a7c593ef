"""Thought: "A microbatch without a valid token adds nothing; on to the next."

Under DDP each backward is a collective. A rank that makes fewer of them than the others leaves them waiting.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        optimizer.zero_grad()
        for features, targets, mask in window:
            if mask.any():
                loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
                (loss * dist.get_world_size(group) / count).backward()
        optimizer.step()
