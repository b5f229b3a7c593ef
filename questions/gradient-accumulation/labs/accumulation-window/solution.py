"""Count the whole window on all ranks, back-propagate R * L_rk / N for each microbatch, synchronise in the last one."""

from contextlib import nullcontext

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    # The look-ahead: masks are known before any forward. Every rank takes part, with 0 if need be.
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    factor = dist.get_world_size(group) / count.clamp(min=1).double()
    optimizer.zero_grad()
    last = len(microbatches) - 1
    for position, (features, targets, mask) in enumerate(microbatches):
        # The forward belongs inside: it is where DDP decides whether this backward will reduce.
        with nullcontext() if position == last else model.no_sync():
            losses = cross_entropy(model(features), targets, reduction="none")
            (losses[mask].sum() * factor).backward()
    optimizer.step()
