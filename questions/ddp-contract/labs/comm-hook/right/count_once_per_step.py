"""The count is reduced with the step's first bucket and kept for the others; bucket 0 marks the new step."""

import torch
import torch.distributed as dist


def token_mean_hook(state, bucket):
    if bucket.index() == 0:
        state.total = state.tokens.clone()
        state.counting = dist.all_reduce(state.total, group=state.group, async_op=True)
    state.counting.wait()
    gradient = bucket.buffer().mul(state.tokens).div_(state.total.clamp(min=1.0))
    dist.all_reduce(gradient, group=state.group)
    done = torch.futures.Future()
    done.set_result(gradient)
    return done
