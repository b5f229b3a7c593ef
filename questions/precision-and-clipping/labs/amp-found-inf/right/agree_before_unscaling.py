"""Agrees first: where one rank overflowed, all ranks put an infinity into their gradients, and every scaler finds its own."""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    parameters = [p for part in optimizer.param_groups for p in part["params"]]
    overflow = torch.tensor(float(any(not torch.isfinite(p.grad).all() for p in parameters)))
    dist.all_reduce(overflow, op=dist.ReduceOp.MAX, group=group)
    if overflow:
        parameters[0].grad.fill_(torch.inf)
    scaler.unscale_(optimizer)
    norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in parameters])) ** 2
    dist.all_reduce(norm, group=group)
    norm = norm.sqrt()
    if norm > max_norm:
        for p in parameters:
            p.grad *= max_norm / norm
    scaler.step(optimizer)
    scaler.update()
