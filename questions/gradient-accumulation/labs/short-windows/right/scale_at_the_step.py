"""Accumulates plain sums and counts as it goes; nothing is known in advance, and the gradient is scaled once at the step."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    seen = torch.zeros((), dtype=torch.float64)
    for index, (features, targets, mask) in enumerate(microbatches, start=1):
        ends_window = index % accumulate == 0 or index == len(microbatches)
        losses = cross_entropy(model(features), targets, reduction="none")
        # Without no_sync: averaging what is averaged already leaves it as it is. It costs traffic, not correctness.
        (losses * mask).sum().backward()
        seen += mask.sum()
        if ends_window:
            dist.all_reduce(seen, group=group)
            for parameter in model.parameters():
                parameter.grad.mul_(dist.get_world_size(group) / seen.clamp(min=1))
            optimizer.step()
            optimizer.zero_grad()
            seen.zero_()
