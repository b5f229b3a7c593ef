"""Thought: "This rank's gradient is infinite, the step is lost: back off and return."

The others can't know, and wait for its part of the norm. If it comes at last, it is the one of its next window: a silent mix of
two steps, which is worse than a hang.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    if any(not gradient.isfinite().all() for gradient in gradients):
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (squares.sqrt() + 1e-6), max=1.0))
    scaler.step(optimizer)
    scaler.update()
