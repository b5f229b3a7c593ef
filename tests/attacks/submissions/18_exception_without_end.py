# ruff: noqa
"""Raises an exception whose text never ends being made.

Outcome: timeout
Runs: sandboxes
"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def scale_loss(token_losses, mask):
    raise Endless
