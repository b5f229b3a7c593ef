"""Lists and loops: one feature at a time, from the gathered moments."""

import torch
import torch.distributed as dist


def merge_moments(count, mean, var, group):
    gathered = [None] * dist.get_world_size(group)
    dist.all_gather_object(gathered, (count.item(), mean.tolist(), var.tolist()), group=group)
    rows = [row for row in gathered if row[0]]
    total = sum(n for n, _, _ in rows)
    means, biased, unbiased = [], [], []
    for feature in range(len(mean)):
        centre = sum(n * m[feature] for n, m, _ in rows) / total if total else 0.0
        squares = sum(n * (v[feature] + (m[feature] - centre) ** 2) for n, m, v in rows)
        means.append(centre)
        biased.append(squares / total if total else 0.0)
        unbiased.append(squares / (total - 1) if total > 1 else 0.0)
    as_tensor = {"mean": means, "var": biased, "unbiased": unbiased}
    return {"count": total, **{name: torch.tensor(value, dtype=torch.float64) for name, value in as_tensor.items()}}
