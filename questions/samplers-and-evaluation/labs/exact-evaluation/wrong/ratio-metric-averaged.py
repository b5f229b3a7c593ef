"""Thought: "The loss I reduce by hand. The metric object syncs itself: it averages its value over the ranks."

Accuracy is a ratio. Averaged over ranks it is weighted by ranks, and the loss beside it is weighted by tokens.
"""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    copies = torch.zeros(dataset_length, dtype=torch.float64)
    for batch in batches:
        copies.index_add_(0, batch.index, torch.ones_like(batch.loss_sum))
    dist.all_reduce(copies, group=group)
    sums, right, samples = torch.zeros(2, dtype=torch.float64), 0.0, 0.0
    for batch in batches:
        share = 1 / copies[batch.index]
        sums += torch.stack([(share * batch.loss_sum).sum(), (share * batch.tokens).sum()])
        right, samples = right + float((share * batch.correct).sum()), samples + float(share.sum())
    accuracy = torch.tensor(right / samples if samples else 0.0, dtype=torch.float64)
    dist.all_reduce(accuracy, group=group)
    dist.all_reduce(sums, group=group)
    loss = sums[0] / sums[1].clamp(min=1)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": accuracy / dist.get_world_size(group)}
