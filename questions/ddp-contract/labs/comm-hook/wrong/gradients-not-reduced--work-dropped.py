"""Thought: "I start the all-reduce and hand the bucket back; DDP waits for what is running."

DDP waits for the future that it is given, and this one is ready: it holds a copy from before the reduction.
"""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket):
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    weighted = bucket.buffer() * state.tokens / total.clamp(min=1)
    dist.all_reduce(weighted.clone(), group=state.group, async_op=True).wait()
    future = torch.futures.Future()
    future.set_result(weighted)
    return future
