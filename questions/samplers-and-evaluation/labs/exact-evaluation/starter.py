"""Give every rank the loss, perplexity and accuracy of the whole data set, each sample counted once."""

import torch
import torch.distributed as dist


def evaluate(batches: list, dataset_length: int, group: dist.ProcessGroup) -> dict:
    """Returns the figures of the whole data set, the same on every rank.

    batches: this rank's share, as the model has already seen it. Each batch is a named tuple of four tensors [b]:
        index     int64    which sample of the data set it is, from 0 to dataset_length - 1
        loss_sum  float64  the sum of the sample's token losses
        tokens    int64    how many valid tokens the sample has, at least 1
        correct   int64    1 if the sample was answered right, else 0
        b differs from batch to batch. A rank may have no batch at all.
    dataset_length: samples in the data set.
    group: the process group of all ranks.

    Every sample is dealt to one rank. Loaders like equal shards, though, and fill up with repeats: a sample may come
    again, in this shard or in another one, with the same numbers. It is still one sample.

    Wanted, as numbers or tensors of one entry:
        loss        sum of the token losses of all samples / number of valid tokens of all samples
        perplexity  exp(loss)
        accuracy    samples answered right / samples
    For an empty data set: loss 0, perplexity 1, accuracy 0.
    """
    # One device's habit: a mean for each batch, and the mean of those. Change it.
    losses = [batch.loss_sum.sum() / batch.tokens.sum() for batch in batches]
    accuracies = [batch.correct.double().mean() for batch in batches]
    loss = torch.as_tensor(sum(losses) / max(len(losses), 1), dtype=torch.float64)
    return {"loss": loss, "perplexity": loss.exp(), "accuracy": sum(accuracies) / max(len(accuracies), 1)}
