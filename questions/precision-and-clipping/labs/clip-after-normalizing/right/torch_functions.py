"""Leaves the norm to torch: get_total_norm of what this rank holds, and clip_grads_with_norm_ with the norm of all of it."""

import torch
import torch.distributed as dist
from torch.nn.utils import clip_grads_with_norm_, get_total_norm


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.as_tensor(counts).sum()
    dist.all_reduce(tokens, group=group)
    holders = [torch.nn.Parameter(torch.zeros_like(tensor)) for tensor in gradients[0]]
    for place, holder in enumerate(holders):
        holder.grad = torch.stack([row[place] for row in gradients]).sum(dim=0)
        if not sharded:
            dist.all_reduce(holder.grad, group=group)
        holder.grad.div_(max(int(tokens), 1))
    norm = get_total_norm([holder.grad for holder in holders])
    if sharded:
        norm = norm**2
        dist.all_reduce(norm, group=group)
        norm = norm.sqrt()
    clip_grads_with_norm_(holders, max_norm, norm)
    return [holder.grad for holder in holders], norm
