"""Thought: "The count needs a collective of its own, so I make it once and keep it in the state."

The state outlives the step. In the next one the counts are others.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    if not hasattr(state, "total"):
        state.total = state.tokens.clone()
        dist.all_reduce(state.total, group=state.group)
    share = state.tokens / state.total.clamp(min=1)
    weighted = bucket.buffer() * share
    work = dist.all_reduce(weighted, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
