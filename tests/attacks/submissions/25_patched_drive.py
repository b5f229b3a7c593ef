# ruff: noqa
"""Replaces the drive and its optimizer, so that what is observed is what the submission says.

Outcome: wrong|invalid|error
Runs: sandboxes
"""

import sys
import torch


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


for name, module in list(sys.modules.items()):
    if name.startswith("quizapp_sandbox.drives") and hasattr(module, "RecordingOptimizer"):
        optimizer = module.RecordingOptimizer
        optimizer.gradients = lambda self: torch.cat(
            [p.detach().reshape(-1) for group in self.param_groups for p in group["params"]]
        )


def scale_loss(token_losses, mask):
    return lazy(token_losses, mask)
