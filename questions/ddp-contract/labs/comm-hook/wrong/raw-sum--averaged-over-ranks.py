"""Thought: "A sum again, and then the average over ranks that DDP would have made."

Divided by the number of ranks, never by the number of tokens.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    gradient = bucket.buffer() * state.tokens
    work = dist.all_reduce(gradient, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0] / dist.get_world_size(state.group))
