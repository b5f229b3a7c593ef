"""Thought: "Count, sum and sum of squares add up over ranks; the variance is E[x*x] - E[x]**2."

True on paper. Near 10**12 the squares have 24 digits, floats have 16, and the variance stood in the last ones.
"""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    sums = torch.stack([count.expand(3), count * mean, count * (var + mean**2)])
    dist.all_reduce(sums, group=group)
    total = sums[0, 0]
    common = sums[1] / total.clamp(min=1)
    biased = sums[2] / total.clamp(min=1) - common**2
    return {"count": total, "mean": common, "var": biased, "unbiased": biased * total / (total - 1).clamp(min=1)}
