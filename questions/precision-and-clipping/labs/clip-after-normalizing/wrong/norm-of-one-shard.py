"""Thought: "clip_grad_norm_ takes the norm over all my parameters."

Over all that this rank holds. Every shard gets a factor of its own, and the gradient changes its direction.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = [torch.stack(tensors).sum(0) / tokens.clamp(min=1) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    norm = torch.cat([tensor.flatten() for tensor in gradient]).norm()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return [tensor * factor for tensor in gradient], norm
