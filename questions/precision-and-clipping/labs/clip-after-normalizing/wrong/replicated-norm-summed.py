"""Thought: "A norm in a distributed run is reduced over the ranks, always."

Replicated gradients are R copies of one vector. Their squares add up to R times its square.
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
    dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return [tensor * factor for tensor in gradient], norm
