# ruff: noqa
"""Ends with thousands of arrays of long names, and with large ones, more than one frame holds.

Outcome: invalid|error
Runs: sandboxes
"""

import sys
import torch


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


for name, module in list(sys.modules.items()):
    if name.startswith("quizapp_sandbox.drives") and hasattr(module, "drive"):
        many = {f"{'n' * 100}{number}": torch.zeros(900) for number in range(1000)}
        module.drive = lambda entry, inputs, group: many


def scale_loss(token_losses, mask):
    return lazy(token_losses, mask)
