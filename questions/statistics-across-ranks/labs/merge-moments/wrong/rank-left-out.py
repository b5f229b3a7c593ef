"""Thought: "No samples, no moments: nothing that I could send."

A count of 0 is what the others wait for.
"""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    if count == 0:
        zero = torch.zeros_like(mean)
        return {"count": count, "mean": zero, "var": zero, "unbiased": zero}
    total, weighted = count.clone(), count * mean
    dist.all_reduce(total, group=group)
    dist.all_reduce(weighted, group=group)
    common = weighted / total.clamp(min=1)
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    return {"count": total, "mean": common, "var": squares / total, "unbiased": squares / (total - 1).clamp(min=1)}
