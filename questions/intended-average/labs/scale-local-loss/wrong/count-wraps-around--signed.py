"""Counts are gathered as signed bytes and added up as such."""

import torch
import torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    own = mask.to(torch.int8).sum(dtype=torch.int8).reshape(1)
    every = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(every, own)
    count = max(int(torch.cat(every).sum(dtype=torch.int8)), 1)
    return token_losses[mask].sum() * dist.get_world_size() / count
