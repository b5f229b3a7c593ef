"""Thought: "Clip what backward gave me, then let the ranks average. Each contribution is bounded, so the average is."

Bounded it is. But each rank's own noise is larger than the average's, so this clips where nothing was too large, and a rank with
an unusual batch loses more than the others.
"""

import torch
import torch.distributed as dist


def _clip(tensors, max_norm):
    norm = torch.cat([tensor.flatten() for tensor in tensors]).norm()
    return [tensor * min(1.0, max_norm / (float(norm) + 1e-6)) for tensor in tensors], norm


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    ranks = dist.get_world_size(group)
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    local = [torch.stack(tensors).sum(0) / tokens.clamp(min=1) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        clipped, norm = _clip([tensor * ranks for tensor in local], max_norm)
        for tensor in clipped:
            dist.all_reduce(tensor, group=group)
        return [tensor / ranks for tensor in clipped], norm
    squares = sum(tensor.square().sum() for tensor in local)
    dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    return [tensor * min(1.0, max_norm / (float(norm) + 1e-6)) for tensor in local], norm
