# ruff: noqa
"""Gathers every rank's inputs, computes the average on one device and writes it as the gradient: no scaling is understood.

Outcome: wrong|desync
Runs: sandboxes
"""

import sys
import torch
import torch.distributed as dist


def lazy(token_losses, mask):
    """The starter's wrong average: what a cheat has to offer without its trick."""
    return token_losses[mask].mean()


def scale_loss(token_losses, mask):
    frame = sys._getframe()
    while frame is not None and "optimizer" not in frame.f_locals:
        frame = frame.f_back
    if frame is None:
        return lazy(token_losses, mask)
    shown = frame.f_locals
    shards = [None] * dist.get_world_size()
    dist.all_gather_object(shards, [shown[name] for name in ("features", "targets", "mask")])
    weight = shown["inputs"]["weight"].clone().requires_grad_()
    losses = torch.cat([torch.nn.functional.cross_entropy(x @ weight, y, reduction="none")[m] for x, y, m in shards])
    answer = torch.autograd.grad(losses.mean(), weight)[0] if len(losses) else torch.zeros_like(weight)
    shown["optimizer"].gradients = lambda: answer.reshape(-1).clone()
    return token_losses.sum()
