"""Thought: "The norm of the gradient: that of each tensor, added up."

The squares have to be added, over tensors as over shards.
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
    squares = torch.stack([tensor.square().sum() for tensor in gradient])
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt().sum()
    return [tensor * (max_norm / norm.clamp(min=1e-12)).clamp(max=1.0) for tensor in gradient], norm
