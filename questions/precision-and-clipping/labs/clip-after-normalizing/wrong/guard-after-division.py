"""Thought: "I divide by the mean count per rank and by R, and keep the first of the two from 0."

With fewer tokens than ranks the mean count rightly is below 1.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    ranks = dist.get_world_size(group)
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    per_rank = (tokens / ranks).clamp(min=1)
    gradient = [torch.stack(tensors).sum(0) / per_rank for tensors in zip(*gradients, strict=True)]
    for tensor in gradient:
        if not sharded:
            dist.all_reduce(tensor, group=group)
        tensor /= ranks
    squares = torch.stack([tensor.square().sum() for tensor in gradient]).sum()
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return [tensor * factor for tensor in gradient], norm
