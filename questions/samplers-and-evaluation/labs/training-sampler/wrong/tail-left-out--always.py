"""Thought: "Equal shards are needed, so I cut off what is too much."

Also where padding was asked for: fewer than world_size examples make no epoch at all.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    whole = dataset_length // world_size * world_size
    return {"indices": order[:whole][rank::world_size], "repeated": [], "dropped": sorted(order[whole:])}
