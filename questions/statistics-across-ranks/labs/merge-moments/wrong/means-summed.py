"""Thought: "SUM is what all-reduce does, and moments are sums."

Raw sums are. Means and variances have been divided already, by R different counts.
"""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    merged = torch.cat([count.reshape(1), mean, var])
    dist.all_reduce(merged, group=group)
    total, mean, var = merged[0], merged[1:4], merged[4:]
    return {"count": total, "mean": mean, "var": var, "unbiased": var * total / (total - 1).clamp(min=1)}
