"""Forms its groups where the file is loaded and keeps them, as programs do that run once: one of all ranks, one of each alone."""

import torch.distributed as dist

EVERYBODY = dist.new_group()
ALONE = [dist.new_group([rank]) for rank in range(dist.get_world_size())][dist.get_rank()]


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count, group=ALONE)
    dist.all_reduce(count, group=EVERYBODY)
    return token_losses[mask].sum() * dist.get_world_size(EVERYBODY) / count.clamp(min=1)
