"""Thought: "I make the local variances unbiased first, and merge those for the unbiased result."

A correction for each rank's own count, which the merged one doesn't need: it grows with the number of ranks.
"""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total.clamp(min=1)
    between = (mean - common) ** 2
    corrected = var * count / (count - 1).clamp(min=1)
    both = torch.stack([count * (var + between), count * (corrected + between)])
    dist.all_reduce(both, group=group)
    biased, unbiased = both / total.clamp(min=1)
    return {"count": total, "mean": common, "var": biased, "unbiased": unbiased}
