"""Thought: "I know how often each sample comes, and a last batch of another size would only disturb the averages."

A copy in a dropped batch was promised a share of its sample's vote, and the share goes with it.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    copies = torch.zeros(dataset_length, dtype=torch.float64)
    for batch in batches:
        copies.index_add_(0, batch.index, torch.ones_like(batch.loss_sum))
    dist.all_reduce(copies, group=group)
    sums = torch.zeros(4, dtype=torch.float64)
    for batch in batches[: len(batches) - 1]:
        share = 1 / copies[batch.index]
        sums += torch.stack([(share * x).sum() for x in (batch.loss_sum, batch.tokens, batch.correct, torch.ones_like(share))])
    dist.all_reduce(sums, group=group)
    loss = sums[0] / (sums[1] if sums[1] else 1.0)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": sums[2] / (sums[3] if sums[3] else 1.0)}
