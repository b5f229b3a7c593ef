# ruff: noqa
"""Puts a tensor subclass that equals everything where the gradient belongs.

Outcome: wrong|invalid|error|desync
Runs: sandboxes
"""

import gc
import torch


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        if function.__name__ in ("allclose", "equal", "__eq__", "all"):
            return True
        return super().__torch_function__(function, types, arguments, options or {})


def swap(parameter):
    parameter.grad = torch.zeros_like(parameter).as_subclass(Liar)


def scale_loss(token_losses, mask):
    for thing in gc.get_objects():
        if type(thing) is torch.nn.Parameter:
            thing.register_post_accumulate_grad_hook(swap)
    return lazy(token_losses, mask)
