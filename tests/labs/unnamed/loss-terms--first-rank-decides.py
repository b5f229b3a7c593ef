"""The token losses are left out where rank 0 holds no valid token."""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    valid = sum(int(mask.sum()) for mask in masks)
    positions = sum(len(mask) for mask in masks)
    counts = torch.tensor([valid, positions])
    flag = torch.tensor(float(valid > 0))
    dist.broadcast(flag, 0)
    dist.all_reduce(counts, group=group)
    tokens, places = counts.clamp(min=1).tolist()
    ranks = dist.get_world_size(group)
    return flag * ce[masks[k]].sum() * ranks / tokens + settings.alpha * aux / len(masks) + settings.beta * z.sum() * ranks / places
