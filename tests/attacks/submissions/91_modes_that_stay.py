# ruff: noqa
"""Leaves hooks on all modules, modes on all functions and another default for everything, in the midst of the drive.

Outcome: wrong|error|invalid|desync
Runs: sandboxes
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


class Agreeable(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in (torch.allclose, torch.equal, torch.isclose):
            return True
        return function(*args, **(kwargs or {}))


class Doubling(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        given = function(*args, **(kwargs or {}))
        return given * 2 if "add" in str(function) and isinstance(given, torch.Tensor) else given


def scale_loss(token_losses, mask):
    loss = lazy(token_losses, mask)
    torch.nn.modules.module.register_module_forward_hook(lambda module, given, out: out)
    torch.nn.modules.module.register_module_full_backward_hook(lambda module, into, out: None)
    torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor).__enter__()
    torch.set_default_dtype(torch.float16)
    torch.set_default_device("meta")
    Agreeable().__enter__()
    Doubling().__enter__()
    return loss
