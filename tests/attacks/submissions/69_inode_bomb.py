# ruff: noqa
"""Makes empty files without end.

Outcome: error|limit|timeout
Runs: containers
"""

import os
import tempfile


def scale_loss(token_losses, mask):
    folder, number = tempfile.mkdtemp(), 0
    while True:
        os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
        number += 1
