"""Thought: "No valid tokens, no gradient: this rank can return its zeros at once."

The others wait for it in the all-reduce of the counts; and with shards, its zeros aren't even what it should return.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    if sum(counts) == 0:
        return [torch.zeros_like(tensor) for tensor in gradients[0]], torch.zeros((), dtype=torch.float64)
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
    return [tensor * min(1.0, max_norm / (float(norm) + 1e-6)) for tensor in gradient], norm
