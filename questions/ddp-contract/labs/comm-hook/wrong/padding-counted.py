"""Thought: "The weight of a rank is how much of the batch it holds: its positions over all positions."

The buffer holds a mean over *valid* tokens, so it comes back with the wrong count.
"""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket):
    positions = torch.tensor(float(state.positions), dtype=torch.float64, device=bucket.buffer().device)
    total = positions.clone()
    dist.all_reduce(total, group=state.group)
    weighted = bucket.buffer() * (positions / total)
    work = dist.all_reduce(weighted, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
