"""Thought: "Normalize each microbatch by its global count, then average over the window."

Right over ranks, and a mean of means over microbatches: tokens of a sparse microbatch weigh more.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(counts, dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = []
    for tensors in zip(*gradients, strict=True):
        means = [tensor / count.clamp(min=1) for tensor, count in zip(tensors, tokens, strict=True)]
        gradient.append(torch.stack(means).mean(0))
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    squares = sum(tensor.square().sum() for tensor in gradient)
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    return [tensor * min(1.0, max_norm / (float(norm) + 1e-6)) for tensor in gradient], norm
