"""Thought: "The sampler shuffles; that is what shuffle=True is for."

With the same seed each time. Without set_epoch every epoch has the order of the first, and every rank its same shard for ever.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed)).tolist()
    surplus = dataset_length % world_size
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        repeated = [order[slot % dataset_length] for slot in range(world_size - surplus)]
    return {"indices": (order + repeated)[rank::world_size], "repeated": sorted(repeated), "dropped": sorted(dropped)}
