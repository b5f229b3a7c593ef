"""Unscale once, take the norm over all shards, and let that norm decide: it is infinite if any shard is, and all ranks see it."""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)  # once, when the window is complete
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    squares = torch.stack([gradient.square().sum() for gradient in gradients]).sum()
    dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    if not torch.isfinite(norm):
        # The scaler's own record is this rank's only. A new scale is what all ranks can set alike.
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (norm + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
