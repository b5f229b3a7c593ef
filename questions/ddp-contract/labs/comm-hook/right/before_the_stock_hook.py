"""Scale the bucket, then let the stock hook do the rest. It averages over ranks, so here the factor R is needed."""

import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook


def token_mean_hook(state, bucket):
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    factor = dist.get_world_size(state.group) * state.tokens / max(total.item(), 1.0)
    bucket.set_buffer(bucket.buffer() * factor)
    return allreduce_hook(state.group, bucket)
