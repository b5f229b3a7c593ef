"""Tokens are counted once, in the first window, and the number is kept."""

import torch
import torch.distributed as dist

known = []


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    if not known:
        tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
        dist.all_reduce(tokens, group=group)
        known.append(tokens.clamp(min=1))
    gradient = [torch.stack(tensors).sum(0) / known[0] for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    squares = torch.stack([tensor.square().sum() for tensor in gradient]).sum()
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return [tensor * factor for tensor in gradient], norm
