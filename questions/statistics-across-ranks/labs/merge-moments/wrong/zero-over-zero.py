"""Thought: "An empty rank has the weight 0, so whatever it holds drops out."

It holds NaN, and 0 * NaN is NaN.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total.clamp(min=1)
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    return {"count": total, "mean": common, "var": squares / total.clamp(min=1), "unbiased": squares / (total - 1).clamp(min=1)}
