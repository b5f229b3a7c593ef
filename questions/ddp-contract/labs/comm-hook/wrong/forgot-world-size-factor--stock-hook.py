"""Thought: "I put the token weights in front of the stock all-reduce hook and leave the rest to it."

The rest is an average over ranks, which the weights n/N don't undo.
"""

import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook


def token_mean_hook(state, bucket):
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    bucket.set_buffer(bucket.buffer() * (state.tokens / total.clamp(min=1)))
    return allreduce_hook(state.group, bucket)
