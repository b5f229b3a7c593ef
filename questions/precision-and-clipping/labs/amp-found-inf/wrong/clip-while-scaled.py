"""Thought: "Clip after backward and before step, as always. scaler.step() unscales what is left."

The limit meets gradients that are 1024 times too large, so that the true limit is max_norm / 1024.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    if not norm.isfinite():
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (norm + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
