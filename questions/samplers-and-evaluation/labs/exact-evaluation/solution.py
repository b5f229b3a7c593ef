"""All-reduce how often each sample occurs, let its copies share one vote, then add up sums and counts; divide at the end."""

import torch
import torch.distributed as dist


def evaluate(batches: list, dataset_length: int, group: dist.ProcessGroup) -> dict:
    # How many copies of each sample there are is known to no rank alone. A rank without a batch adds zeros.
    copies = torch.zeros(dataset_length, dtype=torch.float64)
    for batch in batches:
        copies.index_add_(0, batch.index, torch.ones_like(batch.loss_sum))
    dist.all_reduce(copies, group=group)

    # Numerators and denominators travel together and undivided; one collective carries them.
    sums = torch.zeros(3, dtype=torch.float64)
    for batch in batches:
        share = 1 / copies[batch.index]
        sums += torch.stack([(share * x).sum() for x in (batch.loss_sum, batch.tokens, batch.correct)])
    dist.all_reduce(sums, group=group)

    loss_sum, tokens, correct = sums
    # The guards stand on global counts and only bite when the data set is empty.
    loss = loss_sum / tokens.clamp(min=1)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": correct / max(dataset_length, 1)}
