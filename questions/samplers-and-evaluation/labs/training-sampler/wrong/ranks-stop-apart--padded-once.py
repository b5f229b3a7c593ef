"""Thought: "To pad, append the beginning of the order: order + order[:missing]."

A slice ends where the list does. With fewer examples than half the ranks the order is too short even when doubled.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    surplus = dataset_length % world_size
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        repeated = order[: world_size - surplus]
    return {"indices": (order + repeated)[rank::world_size], "repeated": sorted(repeated), "dropped": sorted(dropped)}
