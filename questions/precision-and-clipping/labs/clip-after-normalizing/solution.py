"""Normalize by the global count, make the gradient whole, then clip: squares are added over ranks only where shards are parts."""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = [torch.stack(tensors).sum(0) / tokens.clamp(min=1) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)  # a sum: N already is the global count
    squares = torch.stack([tensor.square().sum() for tensor in gradient]).sum()
    if sharded:
        # Shards are disjoint parts of one vector, so their squares add up to its square. Copies would be counted R times.
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return [tensor * factor for tensor in gradient], norm
