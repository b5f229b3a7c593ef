"""Thought: "The empty rank joins the count and then returns a zero. A zero is a zero."

A fresh zero isn't tied to the model, so backward never reaches DDP's hooks on that rank, and the
gradient all-reduce of the others waits for it.
"""

import torch.distributed as dist


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    if count == 0:
        return token_losses.sum() * 0.0
    if not mask.any():
        return token_losses.new_zeros(()).requires_grad_()
    return dist.get_world_size() * token_losses[mask].sum() / count
