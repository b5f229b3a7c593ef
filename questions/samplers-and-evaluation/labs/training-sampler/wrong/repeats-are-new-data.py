"""Thought: "The epoch has len(indices) * world_size examples; padding is an implementation detail."

A repeated example has weight 2 in this epoch. Throughput, and every comparison with another world size, counts it twice.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    surplus = dataset_length % world_size
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        repeated = [order[slot % dataset_length] for slot in range(world_size - surplus)]
    return {"indices": (order + repeated)[rank::world_size], "repeated": [], "dropped": sorted(dropped)}
