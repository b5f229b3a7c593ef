"""Thought: "The flags are reduced to one that all ranks agree on." With MIN, since the flag said `ok` in an earlier version.

When the flag was turned into `overflow`, the reduction had to become MAX. Now a step is skipped only when every rank overflows.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    gradients = [p.grad for part in optimizer.param_groups for p in part["params"]]
    overflow = torch.tensor(float(any(not gradient.isfinite().all() for gradient in gradients)))
    dist.all_reduce(overflow, op=dist.ReduceOp.MIN, group=group)
    squares = sum(gradient.square().sum() for gradient in gradients)
    dist.all_reduce(squares, group=group)
    if overflow:
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    for gradient in gradients:
        gradient.mul_(torch.clamp(max_norm / (squares.sqrt() + 1e-6), max=1.0))
    optimizer.step()
    scaler.update(scaler.get_scale())
