"""Thought: "I decide about the step myself, so I call optimizer.step() and not scaler.step()."

Which was the one to unscale. Clipping hides it: a clipped gradient has the right direction and the right length, whatever its
scale was. It shows only where the gradient is below the limit: its step is then as long as the limit.
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
    if norm.isfinite():
        for gradient in gradients:
            gradient.mul_(torch.clamp(max_norm / (norm + 1e-6), max=1.0))
        optimizer.step()
    else:
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
