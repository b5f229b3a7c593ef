"""Thought: "The buffer holds a mean. Times the count it is a sum, and sums may be added. Done."

The sum over all tokens still has to meet their number.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    gradient = bucket.buffer() * state.tokens
    work = dist.all_reduce(gradient, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
