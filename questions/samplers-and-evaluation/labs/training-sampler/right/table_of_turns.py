"""The order as a table of turns, one column for each rank; the record is the difference of two histograms."""

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed + epoch))
    turns = dataset_length // world_size if drop_last else -(-dataset_length // world_size)
    slots = torch.arange(turns * world_size)
    table = order[slots % max(dataset_length, 1)].reshape(turns, world_size)
    times = torch.bincount(table.reshape(-1), minlength=dataset_length)
    everything = torch.arange(dataset_length)
    return {
        "indices": table[:, rank],
        "repeated": everything.repeat_interleave((times - 1).clamp(min=0)),
        "dropped": everything[times == 0],
    }
