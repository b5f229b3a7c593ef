"""Sums the losses of a window and runs backward once. It keeps all graphs of the window alive, and needs no no_sync."""

from itertools import islice

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def windows_of(microbatches, accumulate):
    stream = iter(microbatches)
    while window := list(islice(stream, accumulate)):
        yield window


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for window in windows_of(microbatches, accumulate):
        # DDP wants one forward for one backward, so the window becomes one batch.
        features, targets, mask = (torch.cat(parts) for parts in zip(*window, strict=True))
        count = torch.tensor([int(mask.sum())])
        dist.all_reduce(count, group=group)
        loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
        optimizer.zero_grad()
        (loss * (dist.get_world_size(group) / max(int(count), 1))).backward()
        optimizer.step()
