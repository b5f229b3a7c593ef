"""Thought: "DDP divides by all ranks, but only some had data. So I scale by R over the active ones."

That is what join does with divide_by_initial_world_size=False. It keeps empty ranks from damping the step, and still
averages ranks, not tokens.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum") / mask.sum().clamp(min=1)
    agreed = torch.stack([mask.any().double(), (~loss.detach().isfinite()).double()])
    dist.all_reduce(agreed, group=group)
    active, bad = agreed.tolist()
    if not active or bad:
        return
    optimizer.zero_grad()
    (loss * dist.get_world_size(group) / active).backward()
    optimizer.step()
