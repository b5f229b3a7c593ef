"""Everything stays a tensor until the end; the lists hold its entries, tensors of one whole number each."""

import torch


def plan_epoch(dataset_length: int, epoch: int, seed: int, drop_last: bool, rank: int, world_size: int) -> dict:
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch))
    kept = dataset_length // world_size * world_size
    missing = -dataset_length % world_size
    if drop_last or not missing:
        return {"indices": list(order[:kept][rank::world_size]), "repeated": [], "dropped": list(order[kept:].sort().values)}
    extra = order.repeat(world_size)[:missing]
    return {"indices": list(torch.cat([order, extra])[rank::world_size]), "repeated": list(extra.sort().values), "dropped": []}
