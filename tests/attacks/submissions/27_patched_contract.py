# ruff: noqa
"""Loosens the check of what it returns, and returns something that takes part in nothing.

Outcome: wrong|desync|invalid|error
Runs: sandboxes
"""

import sys
import torch


for name, module in list(sys.modules.items()):
    if name.startswith("quizapp_sandbox") and hasattr(module, "scalar_loss"):
        module.scalar_loss = lambda value: torch.zeros((), dtype=torch.float64, requires_grad=True)


def scale_loss(token_losses, mask):
    return None
