# ruff: noqa
"""Makes one call on rank 0 alone, in the last scenario, of the transport itself, past torch's dispatcher. It has the size that a
call of the judge's is likely to have.

Outcome: desync
Runs: sandboxes
"""

import torch
import torch.distributed as dist


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    if token_losses.is_leaf and dist.get_rank() == 0:
        dist.group.WORLD._get_backend(torch.device("cpu")).allreduce([torch.zeros(1, dtype=torch.int64)])
    return token_losses[mask].sum() * dist.get_world_size() / count.clamp(min=1)
