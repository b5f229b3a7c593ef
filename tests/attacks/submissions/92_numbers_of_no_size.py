# ruff: noqa
"""Gives the largest and the least numbers there are, which no sentence of a verdict may trip over.

Outcome: wrong|desync|invalid|error
Runs: sandboxes
"""

import torch


class Instead(torch.autograd.Function):
    @staticmethod
    def forward(context, losses):
        context.shape = losses.shape
        return losses.sum()

    @staticmethod
    def backward(context, gradient):
        sizes = torch.tensor([1.7976931348623157e308, 5e-324, -1e308, -0.0], dtype=torch.float64)
        return sizes.repeat(context.shape[0])[: context.shape[0]]


def scale_loss(token_losses, mask):
    return Instead.apply(token_losses)
