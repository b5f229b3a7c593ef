"""Thought: "An empty rank would bring a zero into the count, so every rank reports at least one token."

The global count then holds tokens that nobody has.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    own = state.tokens.clamp(min=1)
    total = own.clone()
    dist.all_reduce(total, group=state.group)
    weighted = bucket.buffer() * own / total
    work = dist.all_reduce(weighted, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
