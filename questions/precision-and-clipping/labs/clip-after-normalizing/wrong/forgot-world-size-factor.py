"""Thought: "Gradients are averaged over the ranks, that is what DDP does, and then divided by the tokens."

N counts the tokens of all ranks; with the average on top the gradient is R times too small, and is clipped too rarely.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = [torch.stack(tensors).sum(0) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
            tensor /= dist.get_world_size(group)
    gradient = [tensor / tokens.clamp(min=1) for tensor in gradient]
    squares = sum(tensor.square().sum() for tensor in gradient)
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    return [tensor * min(1.0, max_norm / (float(norm) + 1e-6)) for tensor in gradient], norm
