"""Thought: "There are two GPUs on a node, so there are two shards, and the local rank says which is mine."

Every node then trains on the same shards. The shards have to be numbered over all nodes.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    gpus_per_node = 2
    local_rank = rank % gpus_per_node
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    surplus = dataset_length % gpus_per_node
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        repeated = [order[slot % dataset_length] for slot in range(gpus_per_node - surplus)]
    return {
        "indices": (order + repeated)[local_rank::gpus_per_node],
        "repeated": sorted(repeated),
        "dropped": sorted(dropped),
    }
