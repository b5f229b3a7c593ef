"""Thought: "Without a batch there is nothing to report, so this rank is done."

The others add up their sums in a collective that counts participants, and wait for it.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    if not batches:
        return {"loss": 0.0, "perplexity": 1.0, "accuracy": 0.0}
    table = torch.zeros((3, dataset_length), dtype=torch.float64)
    for batch in batches:
        table[:, batch.index] = torch.stack([batch.loss_sum, batch.tokens.double(), batch.correct.double()])
    dist.all_reduce(table, op=dist.ReduceOp.MAX, group=group)
    loss_sum, tokens, correct = table.sum(dim=1)
    loss = loss_sum / tokens.clamp(min=1)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": correct / max(dataset_length, 1)}
