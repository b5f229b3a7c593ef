"""Thought: "Infinities break the norm, so I replace them. A zero here and there does no harm."

A whole shard stands still while the others move, the scaler never learns that its scale is too large, and it happens again.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    for gradient in gradients:
        torch.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0, out=gradient)
    scaler.unscale_(optimizer)
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (squares.sqrt() + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
