"""Batch means are fine as long as each comes back with the count that it was divided by."""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    copies = torch.zeros(dataset_length)
    for batch in batches:
        copies += torch.bincount(batch.index, minlength=dataset_length)
    dist.all_reduce(copies, group=group)

    weighted = dict.fromkeys(("loss", "tokens", "correct", "samples"), 0.0)
    for batch in batches:
        share = 1 / copies[batch.index].double()
        tokens, samples = (share * batch.tokens).sum(), share.sum()
        weighted["loss"] += tokens * ((share * batch.loss_sum).sum() / tokens)
        weighted["correct"] += samples * ((share * batch.correct).sum() / samples)
        weighted["tokens"] += tokens
        weighted["samples"] += samples
    total = {}
    for name, value in weighted.items():
        total[name] = torch.as_tensor(value, dtype=torch.float64).clone()
        dist.all_reduce(total[name], group=group)
    loss = total["loss"] / total["tokens"].clamp(min=1)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": total["correct"] / total["samples"].clamp(min=1)}
