"""Thought: "The window always has a valid token."

The one that hasn't gives 0/0; its norm is NaN, no comparison with the limit is true, and the NaN goes into the step.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = [torch.stack(tensors).sum(0) / tokens for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    squares = sum(tensor.square().sum() for tensor in gradient)
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    if norm > max_norm:
        gradient = [tensor * max_norm / norm for tensor in gradient]
    return gradient, norm
