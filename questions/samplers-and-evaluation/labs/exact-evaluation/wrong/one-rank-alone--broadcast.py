"""Thought: "All ranks must report the same figures, so rank 0 broadcasts its own."

Now they agree, on the figures of one shard.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    table = torch.zeros((4, dataset_length), dtype=torch.float64)
    for batch in batches:
        one = torch.ones_like(batch.loss_sum)
        table[:, batch.index] = torch.stack([batch.loss_sum, batch.tokens.double(), batch.correct.double(), one])
    loss_sum, tokens, correct, samples = table.sum(dim=1)
    figures = torch.stack([loss_sum / tokens.clamp(min=1), correct / samples.clamp(min=1)])
    dist.broadcast(figures, src=0, group=group)
    return {"loss": figures[0], "perplexity": figures[0].exp(), "accuracy": figures[1]}
