"""Thought: "At the last bucket I reduce the count for later, off the critical path."

For later is for the next step, whose counts aren't known yet.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    if not hasattr(state, "total"):
        state.total = state.tokens.clone()
        dist.all_reduce(state.total, group=state.group)
    gradient = bucket.buffer() * state.tokens / state.total.clamp(min=1)
    if bucket.is_last():
        state.total = state.tokens.clone()
        dist.all_reduce(state.total, group=state.group)
    work = dist.all_reduce(gradient, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
