"""Thought: "Data parallel means that every GPU trains on the data."

On its part of it. With the whole on each, an epoch is R epochs, and all ranks compute the same gradient.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    return {"indices": order, "repeated": [], "dropped": []}
