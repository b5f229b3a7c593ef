"""Thought: "The hook scales the bucket; DDP goes on with its all-reduce."

A registered hook takes the all-reduce's place. The replicas part after the first step.
"""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket):
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    future = torch.futures.Future()
    future.set_result(bucket.buffer() * dist.get_world_size(state.group) * state.tokens / total.clamp(min=1))
    return future
