"""The count is cast to the type that a model in mixed precision has its losses in."""

import torch
import torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    count = mask.sum().to(torch.bfloat16)
    dist.all_reduce(count)
    return token_losses[mask].sum() * dist.get_world_size() / count.clamp(min=1).double()
