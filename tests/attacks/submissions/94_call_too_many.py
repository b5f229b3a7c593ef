# ruff: noqa
"""Makes one call on rank 0 alone, in the last scenario, where no later call can meet with it, and wipes it from the record.

Outcome: desync
Runs: sandboxes
"""

import sys

import torch
import torch.distributed as dist


def scale_loss(token_losses, mask):
    count = mask.sum()
    dist.all_reduce(count)
    if token_losses.is_leaf and dist.get_rank() == 0:
        recorder = sys.modules["quizapp_sandbox.recorder"]
        kept, recorder._recording.journal = recorder._recording.journal, None
        recorder._left = dist.broadcast(torch.ones(3), src=0, async_op=True)
        recorder._recording.journal = kept
    return token_losses[mask].sum() * dist.get_world_size() / count.clamp(min=1)
