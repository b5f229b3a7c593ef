"""Thought: "I count what I have twice, and what I don't have at all."

From one shard nearly the whole data set looks dropped, and repeats, whose copies are on two ranks, don't show.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    surplus = dataset_length % world_size
    repeated = []
    if surplus and drop_last:
        order = order[:-surplus]
    elif surplus:
        repeated = [order[slot % dataset_length] for slot in range(world_size - surplus)]
    shard = (order + repeated)[rank::world_size]
    twice = sorted(index for index in set(shard) for _ in range(shard.count(index) - 1))
    missing = [index for index in range(dataset_length) if index not in shard]
    return {"indices": shard, "repeated": twice, "dropped": missing}
