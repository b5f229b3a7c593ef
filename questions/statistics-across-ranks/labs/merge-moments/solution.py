"""First the common mean, then squared distances from it: what lies within the ranks and what lies between them."""

import torch
import torch.distributed as dist


def merge_moments(count: torch.Tensor, mean: torch.Tensor, var: torch.Tensor, group: dist.ProcessGroup) -> dict:
    # An empty rank takes part with zeros. Its NaN has to go before it is multiplied: 0 * NaN is NaN.
    mean, var = mean.nan_to_num(0.0), var.nan_to_num(0.0)

    first = torch.cat([count.reshape(1), count * mean])
    dist.all_reduce(first, group=group)
    total = first[0]
    common = first[1:] / total.clamp(min=1)

    # Differences before squares: (mean - common) is small even where both are large.
    squares = count * (var + (mean - common) ** 2)
    dist.all_reduce(squares, group=group)
    return {
        "count": total,
        "mean": common,
        "var": squares / total.clamp(min=1),
        "unbiased": squares / (total - 1).clamp(min=1),
    }
