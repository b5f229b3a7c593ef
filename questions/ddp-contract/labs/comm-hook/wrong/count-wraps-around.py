"""To keep the message small, the count is sent as one byte."""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket):
    count = state.tokens.to(torch.uint8)
    dist.all_reduce(count, group=state.group)
    buffer = bucket.buffer() * state.tokens
    work = dist.all_reduce(buffer, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0] / count.clamp(min=1))
