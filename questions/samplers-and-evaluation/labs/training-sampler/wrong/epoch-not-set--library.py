"""Thought: "DistributedSampler(shuffle=True), a fresh one in every epoch."

A fresh one starts at epoch 0. Nobody called set_epoch.
"""

from collections import Counter

from torch.utils.data.distributed import DistributedSampler


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    def shard(of):
        return list(DistributedSampler(range(dataset_length), world_size, of, shuffle=True, seed=seed, drop_last=drop_last))

    times = Counter(index for replica in range(world_size) for index in shard(replica))
    return {
        "indices": shard(rank),
        "repeated": sorted((times - Counter(set(times))).elements()),
        "dropped": sorted(set(range(dataset_length)) - set(times)),
    }
