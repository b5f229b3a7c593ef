# ruff: noqa
"""Returns an object that runs code when it is unpickled, from the entry and from the drive.

Outcome: invalid|error
Runs: sandboxes
"""

import os
import sys


class Bomb:
    def __reduce__(self):
        return os._exit, (0,)


for name, module in list(sys.modules.items()):
    if name.startswith("quizapp_sandbox.drives") and hasattr(module, "drive"):
        module.drive = lambda entry, inputs, group: {"gradients": Bomb(), "steps": Bomb()}


def scale_loss(token_losses, mask):
    return Bomb()
