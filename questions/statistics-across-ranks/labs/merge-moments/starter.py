"""Merge the ranks' counts, means and variances into those of all samples together."""

import torch
import torch.distributed as dist


def merge_moments(count: torch.Tensor, mean: torch.Tensor, var: torch.Tensor, group: dist.ProcessGroup) -> dict:
    """Returns the moments of all samples on all ranks, the same on every rank.

    count: float64 [], this rank's samples. May be 0, and is different from rank to rank.
    mean:  float64 [3], of this rank's samples for each of three features; NaN if there are none.
    var:   float64 [3], their biased variance, mean of (x - mean)**2; 0 for a single sample, NaN for none.
    group: the process group of all ranks.

    Wanted:
        count     float64 []   samples on all ranks, N
        mean      float64 [3]  over all samples
        var       float64 [3]  biased: sum of (x - mean)**2 over all samples, divided by N. Batch norm normalises with it.
        unbiased  float64 [3]  the same sum divided by N - 1. Batch norm's running variance takes it. Zeros if N is 1.
    Zeros everywhere if there is no sample at all.

    The third feature is a time in milliseconds, some 10**12, with a spread of about 1. Its variance must survive that.
    """
    # This treats all ranks alike. Change it.
    moments = torch.stack([mean, var])
    dist.all_reduce(moments, group=group)
    mean, var = moments / dist.get_world_size(group)
    dist.all_reduce(count, group=group)
    return {"count": count, "mean": mean, "var": var, "unbiased": var * count / (count - 1).clamp(min=1)}
