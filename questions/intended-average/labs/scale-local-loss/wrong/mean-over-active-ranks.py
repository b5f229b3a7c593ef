"""The average over those ranks that have tokens, as DDP's join makes it."""

import torch
import torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    active = mask.any().long()
    dist.all_reduce(active)
    mean = token_losses[mask].sum() / mask.sum().clamp(min=1)
    return mean * dist.get_world_size() / active.clamp(min=1)
