"""Sums and sums of squares, in coordinates whose origin is one rank's mean: small numbers can be squared safely."""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    counts = [torch.empty_like(count) for _ in range(dist.get_world_size(group))]
    dist.all_gather(counts, count, group=group)
    source = max(range(len(counts)), key=lambda rank: counts[rank].item())
    origin = mean.clone()
    dist.broadcast(origin, src=dist.get_global_rank(group, source), group=group)

    sums = torch.zeros(2, 3, dtype=mean.dtype, device=mean.device)
    if count > 0:
        distance = mean - origin
        sums[0], sums[1] = count * distance, count * (var + distance * distance)
    dist.all_reduce(sums, group=group)

    total = sum(counts)
    if total == 0:
        return {"count": total, "mean": sums[0], "var": sums[1], "unbiased": sums[1]}
    squares = sums[1] - sums[0] ** 2 / total
    return {"count": total, "mean": origin + sums[0] / total, "var": squares / total, "unbiased": squares / max(total - 1, 1)}
