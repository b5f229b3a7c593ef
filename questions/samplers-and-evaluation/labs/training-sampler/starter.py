"""Plan an epoch of training for one rank, and record what the plan repeats and drops."""

import torch


def plan_epoch(dataset_length: int, epoch: int, seed: int, drop_last: bool, rank: int, world_size: int) -> dict:
    """Returns which examples this rank trains on in this epoch. Called on every rank; no collective is needed.

    dataset_length: examples in the data set, numbered from 0. May be 0, or smaller than world_size.
    epoch, seed, drop_last, world_size: the same on all ranks.

    The rule is that of PyTorch's DistributedSampler:
        1. The epoch's order is torch.randperm(dataset_length) with a generator seeded with seed + epoch.
        2. It is made to divide by world_size. With drop_last its end is cut off; otherwise its own beginning is put behind it,
           more than once if it has to be.
        3. Rank r takes the entries r, r + world_size, r + 2 * world_size, ... of the result.

    Wanted, as lists of indices of the data set:
        indices   this rank's examples, in order
        repeated  over all ranks together: one entry for every time an example comes beyond its first, sorted
        dropped   over all ranks together: examples that no rank gets, sorted
    """
    # The single-device sampler, as it was. Change it.
    order = torch.randperm(dataset_length, generator=torch.Generator().manual_seed(seed)).tolist()
    return {"indices": order, "repeated": [], "dropped": []}
