"""Thought: "Clip right after the reduction, and scale by the tokens just before the step, where the learning rate is."

The limit then meets the sum over tokens, which is N times as long. Nearly every step is clipped, and to a length of limit / N.
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
    factor = min(1.0, max_norm / (float(norm) + 1e-6)) / max(float(tokens), 1.0)
    return [tensor * factor for tensor in total], norm
