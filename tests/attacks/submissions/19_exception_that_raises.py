# ruff: noqa
"""Raises an exception whose text raises another, inside whoever reports the first.

Outcome: invalid|error
Runs: sandboxes
"""


class Trap(BaseException):
    def __str__(self):
        raise Trap

    __repr__ = __str__


def scale_loss(token_losses, mask):
    raise Trap
