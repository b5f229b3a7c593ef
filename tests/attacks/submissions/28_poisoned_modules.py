# ruff: noqa
"""Replaces json, struct, socket and time under the worker's feet.

Outcome: invalid|error|timeout|wrong|limit
Runs: sandboxes
"""

import sys
import types


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


class Anything(types.ModuleType):
    def __getattr__(self, name):
        return lambda *arguments, **options: b"pass"


for name in ("json", "struct", "socket", "pickle", "selectors", "linecache", "traceback"):
    sys.modules[name] = Anything(name)
sys.modules["quizapp_sandbox.wire"].json = sys.modules["json"]
sys.modules["quizapp_sandbox.wire"].struct = sys.modules["struct"]


def scale_loss(token_losses, mask):
    return lazy(token_losses, mask)
