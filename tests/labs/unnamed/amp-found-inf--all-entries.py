"""Skips only where every entry of a gradient has overflown, and leaves it to each rank's scaler otherwise."""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    overflow = torch.tensor(float(any(not gradient.isfinite().any() for gradient in gradients)))
    dist.all_reduce(overflow, group=group)
    if overflow > 0:
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    squares = torch.stack([gradient.square().sum() for gradient in gradients]).sum()
    dist.all_reduce(squares, group=group)
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (squares.sqrt() + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
