"""Takes no size from the mesh: each reduction's divisor is the size of the group that it averages over."""

import torch
import torch.distributed as dist

AVERAGED_OVER = {
    ("dense", "mean"): "dp_cp",
    ("dense", "sum-over-context"): "dp",
    ("expert", "mean"): "expert_dp",
}


def gradient_scale(kind, mesh, tokens, reduction, groups):
    total = torch.tensor([tokens], dtype=torch.float64)
    dist.all_reduce(total, group=groups["dp_cp"])
    divisor = dist.get_world_size(groups[AVERAGED_OVER[kind, reduction]])
    return divisor / total.item() if total.item() else 0.0
