"""Agree first, on one reduced vector that holds the count and the complaints; then all ranks do the same thing."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(
    model: torch.nn.parallel.DistributedDataParallel, batch, optimizer: torch.optim.Optimizer, group: dist.ProcessGroup
) -> None:
    features, targets, mask = batch
    losses = cross_entropy(model(features), targets, reduction="none")
    # Over an empty selection this is a 0 that is still tied to the model, so an empty rank takes part in backward too.
    loss_sum = losses[mask].sum()

    # Every rank contributes, and every rank reads the same two numbers: the decision is common because the data is.
    agreed = torch.stack([mask.sum().to(loss_sum.dtype), (~loss_sum.detach().isfinite()).to(loss_sum.dtype)])
    dist.all_reduce(agreed, group=group)
    count, complaints = agreed.tolist()
    if count == 0 or complaints > 0:
        return  # before backward: nothing was accumulated, and nobody waits

    optimizer.zero_grad()
    (loss_sum * dist.get_world_size(group) / count).backward()
    optimizer.step()
