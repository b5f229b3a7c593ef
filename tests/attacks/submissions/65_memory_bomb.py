# ruff: noqa
"""Takes memory and touches it until there is none.

Outcome: limit|error|timeout
Runs: containers
"""


def scale_loss(token_losses, mask):
    kept = []
    while True:
        kept.append(bytearray(64 << 20))
