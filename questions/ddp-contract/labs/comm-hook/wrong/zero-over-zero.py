"""Thought: "Weighted sum over weights. There are always tokens somewhere."

In a step where every label is masked, it is 0/0, on all ranks and in every parameter.
"""

import torch.distributed as dist


def token_mean_hook(state, bucket):
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    weighted = bucket.buffer() * (state.tokens / total)
    work = dist.all_reduce(weighted, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
