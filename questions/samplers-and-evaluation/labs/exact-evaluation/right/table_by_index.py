"""One row for each sample of the data set, filled in by whoever has it; MAX over ranks merges copies, which are equal."""

import torch
import torch.distributed as dist


def evaluate(batches, dataset_length, group):
    table = torch.full((3, dataset_length), -torch.inf, dtype=torch.float64)
    for batch in batches:
        table[:, batch.index] = torch.stack([batch.loss_sum, batch.tokens.double(), batch.correct.double()])
    dist.all_reduce(table, op=dist.ReduceOp.MAX, group=group)
    loss_sum, tokens, correct = table.sum(dim=1)
    loss = loss_sum / tokens if dataset_length else torch.zeros((), dtype=torch.float64)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": correct / max(dataset_length, 1)}
