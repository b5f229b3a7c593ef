"""The count is reduced in bfloat16, apart from the sums."""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    total = count.to(torch.bfloat16)
    dist.all_reduce(total, group=group)
    total = total.double()
    common = count * mean
    dist.all_reduce(common, group=group)
    common /= total.clamp(min=1)
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    return {
        "count": total,
        "mean": common,
        "var": squares / total.clamp(min=1),
        "unbiased": squares / (total - 1).clamp(min=1),
    }
