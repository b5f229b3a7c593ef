"""Mean times count is a sum; sums add up; one division by the global count. Nothing in a hook needs the world size."""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    # A copy is reduced: state.tokens is still this rank's own count when the next bucket comes.
    total = state.tokens.clone()
    dist.all_reduce(total, group=state.group)
    # The share n_r/N makes the division before the sum, which keeps the numbers small. An empty rank's share is 0.
    share = state.tokens / total.clamp(min=1)
    work = dist.all_reduce(bucket.buffer() * share, group=state.group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
