"""Takes each term's local mean and gives it the share that this microbatch has in the window."""

import torch
import torch.distributed as dist


def _average_over_ranks(number, group):
    tensor = torch.tensor(float(number), dtype=torch.float64)
    dist.all_reduce(tensor, group=group)
    return tensor.item() / dist.get_world_size(group)


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    mask = masks[k]
    valid_per_rank = _average_over_ranks(sum(m.sum() for m in masks), group)
    places_per_rank = _average_over_ranks(sum(m.shape[0] for m in masks), group)
    loss = z.mean() * settings.beta * (len(z) / places_per_rank) + aux * (settings.alpha / len(masks))
    if mask.any():
        loss = loss + ce[mask].mean() * (int(mask.sum()) / valid_per_rank)
    return loss
