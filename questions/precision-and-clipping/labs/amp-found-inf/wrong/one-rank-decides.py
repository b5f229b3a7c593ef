"""Thought: "One rank must decide, so that all do the same. Rank 0 looks at its gradients and tells the others."

It can't see what the others have found. An infinity on rank 1 goes through, and becomes NaN in its parameters.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    overflow = torch.tensor(float(any(not gradient.isfinite().all() for gradient in gradients)))
    dist.broadcast(overflow, src=0, group=group)
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    if overflow:
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (squares.sqrt() + 1e-6), max=1.0))
    optimizer.step()
    scaler.update(scaler.get_scale())
