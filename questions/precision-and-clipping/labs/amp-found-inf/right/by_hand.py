"""Uses the scaler as a number: scales, divides, decides and steps itself."""

import torch
import torch.distributed as dist


def _all_shards(part, group):
    parts = [torch.empty_like(part) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, part.contiguous(), group=group)
    return torch.cat(parts)


def amp_step(losses, optimizer, scaler, max_norm, group):
    scale = scaler.get_scale()
    (shard,) = [p for part in optimizer.param_groups for p in part["params"]]
    total = sum(torch.autograd.grad(loss() * scale, shard)[0] for loss in losses)
    whole = _all_shards(total, group)
    if whole.isfinite().all():
        length = whole.norm() / scale
        shard.grad = total / (scale * max(1.0, length / max_norm))
        optimizer.step()
    else:
        scaler.update(scale * scaler.get_backoff_factor())
