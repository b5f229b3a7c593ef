"""Thought: "total + 1 can't be zero."

Nor is it ever the number of tokens.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    share = state.tokens / (total + 1)
    weighted = bucket.buffer() * share
    work = dist.all_reduce(weighted, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
