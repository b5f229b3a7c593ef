"""Keeps the means and gives each one its weight: R * n_rk / N turns a microbatch's mean into its share of the global mean."""

from contextlib import ExitStack

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    counts = [int(mask.sum()) for _, _, mask in microbatches]
    everywhere = [None] * dist.get_world_size(group)
    dist.all_gather_object(everywhere, sum(counts), group=group)
    total = sum(everywhere)
    with ExitStack() as local:
        local.enter_context(model.no_sync())
        for number, ((features, targets, mask), count) in enumerate(zip(microbatches, counts, strict=True), start=1):
            if number == len(microbatches):
                local.close()
            if number == 1:
                optimizer.zero_grad()
            losses = cross_entropy(model(features), targets, reduction="none")
            # Guarding this rank's own count is harmless here: where it bites, the weight is 0.
            mean = (losses * mask).sum() / max(count, 1)
            (mean * (len(everywhere) * count / max(total, 1))).backward()
    optimizer.step()
