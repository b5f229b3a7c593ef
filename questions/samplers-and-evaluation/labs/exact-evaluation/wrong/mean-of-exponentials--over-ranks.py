"""Thought: "Loss and accuracy come from reduced sums. The perplexity I let every rank compute, and average the ranks."

Two of the three figures are right, which makes the third one believable.
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
    perplexity = (sums[0] / sums[1].clamp(min=1e-9)).exp()
    dist.all_reduce(perplexity, group=group)
    dist.all_reduce(sums, group=group)
    return {
        "loss": sums[0] / sums[1].clamp(min=1),
        "perplexity": perplexity / dist.get_world_size(group),
        "accuracy": sums[2] / max(dataset_length, 1),
    }
