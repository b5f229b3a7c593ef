"""One collective for the whole epoch: the counts of all windows as a vector, reduced before training starts."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def count_windows(microbatches, accumulate, group):
    """Valid tokens of each window on all ranks, float64 [windows]."""
    windows = -(-len(microbatches) // accumulate)
    counts = torch.zeros(windows, dtype=torch.float64)
    for index, (_, _, mask) in enumerate(microbatches):
        counts[index // accumulate] += mask.sum()
    dist.all_reduce(counts, group=group)
    return counts.clamp(min=1)


def train_epoch(model, microbatches, optimizer, accumulate, group):
    counts = count_windows(microbatches, accumulate, group)
    last = len(microbatches) - 1
    optimizer.zero_grad()
    for index, (features, targets, mask) in enumerate(microbatches):
        ends = index == last or index % accumulate == accumulate - 1
        model.require_backward_grad_sync = ends  # what no_sync sets; the forward reads it
        losses = cross_entropy(model(features), targets, reduction="none")
        weights = mask / counts[index // accumulate]
        (dist.get_world_size(group) * losses @ weights).backward()
        if ends:
            optimizer.step()
            optimizer.zero_grad()
    model.require_backward_grad_sync = True
