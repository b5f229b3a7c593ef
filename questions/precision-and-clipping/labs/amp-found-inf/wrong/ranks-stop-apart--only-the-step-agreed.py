"""Thought: "All ranks skip together: the flag is reduced. The scale looks after itself in update()."

update() looks at what this rank has found. The step is agreed and the scale isn't.
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
    if torch.isfinite(norm):
        for gradient in gradients:
            gradient.mul_(torch.clamp(max_norm / (norm + 1e-6), max=1.0))
        optimizer.step()
    scaler.update()
