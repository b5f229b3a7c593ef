"""Looks for an infinity in the largest entry: one of -infinity is the smallest."""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    largest = torch.stack([gradient.max() for gradient in gradients]).max()
    dist.all_reduce(largest, op=dist.ReduceOp.MAX, group=group)
    if largest == float("inf"):
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    scaler.unscale_(optimizer)
    squares = torch.stack([gradient.square().sum() for gradient in gradients]).sum()
    dist.all_reduce(squares, group=group)
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (squares.sqrt() + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
