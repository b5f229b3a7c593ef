"""Gather all moments and merge them two at a time, as Chan, Golub and LeVeque do for sample variances."""

import torch
import torch.distributed as dist


def merge(a, b):
    (n_a, mean_a, m2_a), (n_b, mean_b, m2_b) = a, b
    n = n_a + n_b
    delta = mean_b - mean_a
    return n, mean_a + delta * (n_b / n), m2_a + m2_b + delta**2 * (n_a * n_b / n)


def merge_moments(count, mean, var, group):
    mine = torch.cat([count.reshape(1), mean, count * var])
    rows = [torch.empty_like(mine) for _ in range(dist.get_world_size(group))]
    dist.all_gather(rows, mine, group=group)
    ranks = [(row[0].item(), row[1:4], row[4:]) for row in rows if row[0] > 0]
    if not ranks:
        zero = torch.zeros_like(mean)
        return {"count": 0.0, "mean": zero, "var": zero, "unbiased": zero}
    merged = ranks[0]
    for other in ranks[1:]:
        merged = merge(merged, other)
    n, mean, m2 = merged
    return {"count": n, "mean": mean, "var": m2 / n, "unbiased": m2 / (n - 1) if n > 1 else torch.zeros_like(m2)}
