"""Adds the token and z sums up with the differentiable all-reduce; its backward brings the factor R that is written nowhere."""

import torch
import torch.distributed as dist
from torch.distributed.nn.functional import all_reduce


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    lengths = torch.tensor([[m.sum(), m.numel()] for m in masks], dtype=torch.float64).sum(dim=0)
    dist.all_reduce(lengths, group=group)
    sums = all_reduce(torch.stack([(ce * masks[k]).sum(), z.sum()]), group=group)
    means = sums / lengths.clamp(min=1)
    return means[0] + settings.beta * means[1] + settings.alpha * aux / len(masks)
