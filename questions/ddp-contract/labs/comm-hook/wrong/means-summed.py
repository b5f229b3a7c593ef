"""Thought: "The hook only replaces the communication. DDP still divides by the world size afterwards."

With a hook it doesn't: buckets aren't divided before, nor after.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    return dist.all_reduce(bucket.buffer(), group=state.group, async_op=True).get_future().then(lambda future: future.value()[0])
