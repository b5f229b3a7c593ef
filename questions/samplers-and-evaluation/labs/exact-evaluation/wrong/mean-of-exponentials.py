"""Thought: "Perplexity is a metric like any other: take it on every batch and average."

The exponential of an average isn't the average of exponentials; by Jensen's inequality the latter is larger.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    copies = torch.zeros(dataset_length, dtype=torch.float64)
    for batch in batches:
        copies.index_add_(0, batch.index, torch.ones_like(batch.loss_sum))
    dist.all_reduce(copies, group=group)
    sums = torch.zeros(5, dtype=torch.float64)
    for batch in batches:
        share = 1 / copies[batch.index]
        loss, tokens, correct = ((share * x).sum() for x in (batch.loss_sum, batch.tokens, batch.correct))
        sums += torch.stack([loss, tokens, correct, (loss / tokens).exp(), torch.ones(())])
    dist.all_reduce(sums, group=group)
    perplexity = sums[3] / sums[4] if dataset_length else 1.0
    return {"loss": sums[0] / sums[1].clamp(min=1), "perplexity": perplexity, "accuracy": sums[2] / max(dataset_length, 1)}
