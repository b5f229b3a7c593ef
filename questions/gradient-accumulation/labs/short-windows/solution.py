"""Cut the epoch into windows first; count each window on all ranks before its first backward; step at each window's end."""

from contextlib import nullcontext

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    ranks = dist.get_world_size(group)
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]  # a slice may be short: that is the last window
        count = sum(mask.sum() for _, _, mask in window)
        dist.all_reduce(count, group=group)
        factor = ranks / count.clamp(min=1).double()
        optimizer.zero_grad()
        for position, (features, targets, mask) in enumerate(window):
            # The window's own length says which microbatch is the last, so a short window is synchronised as well.
            with nullcontext() if position == len(window) - 1 else model.no_sync():
                losses = cross_entropy(model(features), targets, reduction="none")
                (losses[mask].sum() * factor).backward()
        optimizer.step()
