# ruff: noqa
"""Waits for a key in a store of its own, which says each time that it is not there.

Outcome: desync|timeout
Runs: sandboxes
"""

import torch.distributed as dist


class Liar(dist.HashStore):
    def check(self, keys):
        return False


def scale_loss(token_losses, mask):
    Liar().wait(["the answer"])
    return token_losses.sum()
