"""Thought: "I keep my own count aside first. Then state.tokens may be reduced in place."

The weight is right in every bucket now; the denominator is R times too large from the second on.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    if bucket.index() == 0:
        state.own = state.tokens.clone()
    weighted = bucket.buffer() * state.own
    dist.all_reduce(state.tokens, group=state.group)
    shared = weighted / state.tokens.clamp(min=1)
    work = dist.all_reduce(shared, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
