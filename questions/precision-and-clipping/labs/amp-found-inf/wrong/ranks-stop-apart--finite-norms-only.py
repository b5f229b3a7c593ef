"""Thought: "Dividing by an infinite norm would zero the gradients, so I clip only by finite ones. The scaler skips the rest."

The rank with the infinity skips. The others step, unclipped, and the shards are of two different models.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    if torch.isfinite(norm) and norm > max_norm:
        for gradient in gradients:
            gradient.mul_(max_norm / norm)
    scaler.step(optimizer)
    scaler.update()
