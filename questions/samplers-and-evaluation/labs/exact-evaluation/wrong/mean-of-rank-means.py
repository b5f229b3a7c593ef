"""Thought: "Every rank works out its figures, and an all-reduce averages them."

Ranks weigh the same, whatever they were dealt; a rank without a sample pulls the average towards its zero.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    copies = torch.zeros(dataset_length, dtype=torch.float64)
    for batch in batches:
        copies.index_add_(0, batch.index, torch.ones_like(batch.loss_sum))
    dist.all_reduce(copies, group=group)
    loss_sum = tokens = correct = samples = torch.zeros((), dtype=torch.float64)
    for batch in batches:
        share = 1 / copies[batch.index]
        loss_sum = loss_sum + (share * batch.loss_sum).sum()
        tokens = tokens + (share * batch.tokens).sum()
        correct = correct + (share * batch.correct).sum()
        samples = samples + share.sum()
    means = torch.stack([loss_sum / tokens.clamp(min=1e-9), correct / samples.clamp(min=1e-9)])
    dist.all_reduce(means, group=group)
    loss, accuracy = means / dist.get_world_size(group)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": accuracy}
