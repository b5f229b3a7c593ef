"""Backward always, on every rank; DDP hands everyone the same gradient, so everyone judges it alike."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    count = mask.sum()
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    losses = cross_entropy(model(features), targets, reduction="none")
    loss = torch.where(mask, losses, 0.0).sum() * dist.get_world_size(group) / count.clamp(min=1)
    loss.backward()
    # Equal bits on all ranks: no further collective is needed for the decision.
    sound = all(bool(p.grad.isfinite().all()) for p in model.parameters())
    if sound and int(count) > 0:
        optimizer.step()
