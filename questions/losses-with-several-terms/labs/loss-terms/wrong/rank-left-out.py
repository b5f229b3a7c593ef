"""Thought: "The token count is only needed where there is a token loss, so I spare empty ranks the all-reduce."

A collective is spared by all ranks or by none. Here the empty rank goes on to its next one, and the others' counts meet that.
"""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    ranks = dist.get_world_size(group)
    places = torch.tensor([float(sum(len(mask) for mask in masks))])
    dist.all_reduce(places, group=group)
    loss = settings.alpha * aux / len(masks) + settings.beta * ranks * z.sum() / places.item()
    valid = sum(mask.sum() for mask in masks)
    if valid > 0:
        dist.all_reduce(valid, group=group)
        loss = loss + ranks * ce[masks[k]].sum() / valid
    return loss
