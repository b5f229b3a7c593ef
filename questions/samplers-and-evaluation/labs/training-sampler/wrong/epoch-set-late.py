"""Thought: "set_epoch goes at the end of the loop's body, next to the checkpoint."

The iterator had already been made by then. Each epoch runs in the order of the one before; the first two are alike.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    used = epoch - 1 if epoch > 0 else 0
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + used)).tolist()
    surplus = dataset_length % world_size
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        repeated = [order[slot % dataset_length] for slot in range(world_size - surplus)]
    return {"indices": (order + repeated)[rank::world_size], "repeated": sorted(repeated), "dropped": sorted(dropped)}
