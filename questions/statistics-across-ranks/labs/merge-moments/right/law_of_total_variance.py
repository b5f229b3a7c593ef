"""Total variance is the mean of the variances plus the variance of the means, both weighted by counts."""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    stacked = torch.stack([count.expand(3), mean, var])
    rows = torch.empty((3 * dist.get_world_size(group), 3), dtype=stacked.dtype, device=stacked.device)
    dist.all_gather_into_tensor(rows, stacked, group=group)
    everyone = rows.reshape(-1, 3, 3)
    everyone = everyone[everyone[:, 0, 0] > 0]
    counts, means, variances = everyone.unbind(dim=1)
    total = counts[:, 0].sum()
    shares = counts / total  # without any row there is nothing to divide
    centre = (shares * means).sum(dim=0)
    within = (shares * variances).sum(dim=0)
    between = (shares * (means - centre).square()).sum(dim=0)
    biased = within + between
    correction = total / (total - 1) if total > 1 else 1.0
    return {"count": total, "mean": centre, "var": biased, "unbiased": biased * correction}
