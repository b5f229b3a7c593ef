"""A table of terms: a local sum and the number of units that it holds; one reduction counts the units of all terms."""

import torch
import torch.distributed as dist


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    alpha, beta, _ = settings
    ranks = dist.get_world_size(group)
    table = [
        # coefficient, this microbatch's sum, units in this rank's window
        (1.0, torch.where(masks[k], ce, 0.0).sum(), sum(m.count_nonzero() for m in masks)),
        (alpha, aux, torch.tensor(len(masks))),  # a unit of the balance term is a microbatch
        (beta, z.sum(), torch.tensor(sum(m.numel() for m in masks))),
    ]
    units = torch.stack([count.double() for _, _, count in table])
    dist.all_reduce(units, group=group)
    return sum(c * part * ranks / max(n, 1.0) for (c, part, _), n in zip(table, units.tolist(), strict=True))
