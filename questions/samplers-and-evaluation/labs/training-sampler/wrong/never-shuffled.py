"""Thought: "Shards are disjoint and complete, which is what matters."

It matters, and so does the order: sorted data makes steps that all look alike, in every epoch the same ones.
"""


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    order = list(range(dataset_length))
    surplus = dataset_length % world_size
    repeated, dropped = [], []
    if surplus and drop_last:
        order, dropped = order[:-surplus], order[-surplus:]
    elif surplus:
        repeated = [order[slot % dataset_length] for slot in range(world_size - surplus)]
    return {"indices": (order + repeated)[rank::world_size], "repeated": sorted(repeated), "dropped": sorted(dropped)}
