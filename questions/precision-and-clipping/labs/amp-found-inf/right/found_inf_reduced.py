"""Reduces the scaler's own record with MAX before it decides, as PyTorch's ShardedGradScaler does; then the usual recipe works."""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    for found in scaler._found_inf_per_device(optimizer).values():
        dist.all_reduce(found, op=dist.ReduceOp.MAX, group=group)
    parameters = [p for part in optimizer.param_groups for p in part["params"]]
    squares = sum(p.grad.square().sum() for p in parameters)
    dist.all_reduce(squares, group=group)
    torch.nn.utils.clip_grads_with_norm_(parameters, max_norm, squares.sqrt())
    scaler.step(optimizer)
    scaler.update()
