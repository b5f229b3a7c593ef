# ruff: noqa
"""Replaces DistributedDataParallel and its reducer by something that averages nothing.

Outcome: wrong|desync|error
Runs: sandboxes
"""

import gc
import sys
import torch


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


class Bare(torch.nn.Module):
    def __init__(self, module, *arguments, **options):
        super().__init__()
        self.module = module

    def forward(self, *inputs):
        return self.module(*inputs)


torch.nn.parallel.DistributedDataParallel = Bare
for name, module in list(sys.modules.items()):
    if name.startswith("quizapp_sandbox.drives") and hasattr(module, "DistributedDataParallel"):
        module.DistributedDataParallel = Bare


def scale_loss(token_losses, mask):
    return lazy(token_losses, mask)
