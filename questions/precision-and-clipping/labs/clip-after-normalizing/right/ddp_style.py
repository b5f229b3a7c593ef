"""As under DDP: local sums times R / N, an average over ranks, and the factor written with a divisor of at least 1."""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    ranks = dist.get_world_size(group)
    facts = torch.tensor([sum(counts), 0.0], dtype=torch.float64)
    dist.all_reduce(facts[:1], group=group)
    scale = 1.0 / max(1.0, facts[0].item())
    if not sharded:
        scale *= ranks
    out = []
    for tensors in zip(*gradients, strict=True):
        tensor = tensors[0].clone()
        for more in tensors[1:]:
            tensor += more
        tensor *= scale
        if not sharded:
            dist.all_reduce(tensor, group=group)
            tensor /= ranks
        out.append(tensor)
    norm_squared = sum(float(tensor @ tensor) for tensor in out)
    facts[1] = norm_squared if sharded else norm_squared / ranks
    dist.all_reduce(facts[1:], group=group)  # R equal shares of a replicated norm, or the shards' own parts
    norm = facts[1].sqrt()
    divisor = torch.clamp(norm / max_norm, min=1.0)
    return [tensor / divisor for tensor in out], norm
