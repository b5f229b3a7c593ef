"""Thought: "The decision needs all ranks, so it is reduced. clip_grad_norm_ does the clipping."

It clips each shard by its own norm: too weakly, and each by another factor.
"""

import torch
import torch.distributed as dist


def amp_step(losses, optimizer, scaler, max_norm, group):
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    parameters = [p for part in optimizer.param_groups for p in part["params"]]
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    overflow = (~norm.isfinite()).double()
    dist.all_reduce(overflow, op=dist.ReduceOp.MAX, group=group)
    if overflow:
        scaler.update(scaler.get_scale() * scaler.get_backoff_factor())
        return
    scaler.step(optimizer)
    scaler.update()
