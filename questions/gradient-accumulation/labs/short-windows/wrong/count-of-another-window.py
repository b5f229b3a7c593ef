"""Thought: "Windows are all alike, so one all-reduce at the start gives the tokens of a step."

The first window's count divides them all. The short window at the end shows it most.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    tokens_per_step = sum(mask.sum() for _, _, mask in microbatches[:accumulate])
    dist.all_reduce(tokens_per_step, group=group)
    for start in range(0, len(microbatches), accumulate):
        optimizer.zero_grad()
        for features, targets, mask in microbatches[start : start + accumulate]:
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / tokens_per_step.clamp(min=1)).backward()
        optimizer.step()
