"""One common order for the epoch, made to divide, dealt out in turns; what that cost is written down."""

import torch


def plan_epoch(dataset_length: int, epoch: int, seed: int, drop_last: bool, rank: int, world_size: int) -> dict:
    # Nothing in the seed depends on the rank: only shards of *one* order make up the data set together.
    generator = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(dataset_length, generator=generator).tolist()

    surplus = dataset_length % world_size
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        # With fewer examples than ranks the order has to come round more than once.
        repeated = [order[slot % dataset_length] for slot in range(world_size - surplus)]
    return {"indices": (order + repeated)[rank::world_size], "repeated": sorted(repeated), "dropped": sorted(dropped)}
