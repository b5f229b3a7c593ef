"""The count is reduced in the type that gradients have in mixed precision."""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.bfloat16)
    dist.all_reduce(tokens, group=group)
    count = max(tokens.item(), 1)
    gradient = [torch.stack(tensors).sum(0) / count for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    squares = torch.stack([tensor.square().sum() for tensor in gradient]).sum()
    if sharded:
        dist.all_reduce(squares, group=group)
    norm = squares.sqrt()
    return [tensor * (max_norm / (norm + 1e-6)).clamp(max=1.0) for tensor in gradient], norm
