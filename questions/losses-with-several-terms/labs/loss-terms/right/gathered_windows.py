"""Gathers what each rank's window holds and forms the three factors in a function of their own."""

import torch
import torch.distributed as dist


def _factors(masks, settings, group):
    mine = torch.tensor([int(torch.cat(masks).sum()), int(torch.cat(masks).numel()), len(masks)])
    every = [torch.zeros_like(mine) for _ in range(dist.get_world_size(group))]
    dist.all_gather(every, mine, group=group)
    tokens, places, microbatches = torch.stack(every).sum(0).tolist()
    ranks = len(every)
    of_tokens = ranks / tokens if tokens else 0.0
    return of_tokens, settings.alpha * ranks / microbatches, settings.beta * ranks / places


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    of_tokens, of_balance, of_size = _factors(masks, settings, group)
    return of_tokens * ce.masked_fill(~masks[k], 0.0).sum() + of_balance * aux + of_size * z.sum()
