"""Gather every rank's indices; a copy counts where it is the first one in rank order."""

import torch
import torch.distributed as dist


def joined(batches, name, dtype):
    return torch.cat([getattr(batch, name).to(dtype) for batch in batches]) if batches else torch.empty(0, dtype=dtype)


def evaluate(batches, dataset_length, group):
    mine = joined(batches, "index", torch.int64)
    shards = [None] * dist.get_world_size(group)
    dist.all_gather_object(shards, mine.tolist(), group=group)
    seen = {index for shard in shards[: dist.get_rank(group)] for index in shard}
    keep = torch.zeros(len(mine), dtype=torch.float64)
    for slot, index in enumerate(mine.tolist()):
        keep[slot] = index not in seen
        seen.add(index)
    sums = torch.stack([(keep * joined(batches, name, torch.float64)).sum() for name in ("loss_sum", "tokens", "correct")])
    dist.all_reduce(sums, group=group)
    loss = sums[0] / max(sums[1], torch.tensor(1.0))
    return {"loss": loss, "perplexity": torch.exp(loss), "accuracy": sums[2] / max(dataset_length, 1)}
