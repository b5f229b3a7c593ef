"""R * L_r / N: the world size undoes DDP's average, the all-reduced count makes the one division that is meant."""

import torch
import torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    # The count is data, so a plain collective is right for it. Every rank takes part, an empty one with 0.
    count = mask.sum()
    dist.all_reduce(count)
    # The clamp acts on the global count and only bites when there is nothing to train on: then the sum is 0 as well.
    denominator = count.clamp(min=1)
    # An empty selection sums to a 0 that is still tied to the graph, so backward reaches DDP's hooks on every rank.
    local_sum = token_losses[mask].sum()
    return local_sum * dist.get_world_size() / denominator
