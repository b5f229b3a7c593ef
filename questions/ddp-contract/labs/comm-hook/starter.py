"""A DDP communication hook that turns local means into the global token mean."""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Called by DDP during backward, once for each bucket of gradients, on every rank in the same order.

    bucket.buffer(): this rank's gradients of the bucket's parameters, one flat float64 tensor. In this exercise each rank
        back-propagates the mean loss of its *own* valid tokens, so the buffer holds the gradient of that local mean; zeros on a
        rank without a valid token. bucket.index() counts buckets from 0, bucket.is_last() is True for the last one.
    state: .tokens   float64 [], the valid tokens of this rank in this step; set anew before each step.
           .group    the process group of all ranks.
           You may keep attributes of your own on it; the object stays the same from step to step.

    DDP writes what the returned future holds, a tensor of the buffer's shape, into the parameters' gradients. With a hook
    registered DDP itself neither reduces nor divides: the hook stands in for both.

    Wanted, on every rank: the gradient of (sum of the losses of all valid tokens on all ranks) / (number of them).
    Where no rank has a valid token, zeros.
    """
    # This is what DDP does without a hook: it averages the ranks' means. Change it.
    mean = bucket.buffer() / dist.get_world_size(state.group)
    work = dist.all_reduce(mean, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
