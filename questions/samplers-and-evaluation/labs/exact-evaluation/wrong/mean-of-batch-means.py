"""Thought: "Each sample counts once, I made sure of that. The epoch's figure is the mean of the batches' figures."

A batch of few tokens then weighs as much as a full one, and the figure moves with the batch size.
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
        sums[0] += (share * batch.loss_sum).sum() / (share * batch.tokens).sum()
        sums[1] += (share * batch.correct).sum() / share.sum()
        sums[2] += 1
    dist.all_reduce(sums, group=group)
    loss, accuracy = sums[:2] / sums[2].clamp(min=1)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": accuracy}
