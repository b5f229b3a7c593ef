"""PyTorch's own sampler, asked once for every rank; the record is counted from what it really gave."""

from collections import Counter

from torch.utils.data.distributed import DistributedSampler


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    shards = []
    for replica in range(world_size):
        sampler = DistributedSampler(range(dataset_length), world_size, replica, shuffle=True, seed=seed, drop_last=drop_last)
        sampler.set_epoch(epoch)
        shards.append(list(sampler))
    times = Counter()
    for shard in shards:
        times.update(shard)
    return {
        "indices": shards[rank],
        "repeated": [index for index in sorted(times) for _ in range(times[index] - 1)],
        "dropped": sorted(set(range(dataset_length)) - set(times)),
    }
