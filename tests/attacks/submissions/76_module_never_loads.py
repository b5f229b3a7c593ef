# ruff: noqa
"""Never comes to the end of the file.

Outcome: timeout
Runs: sandboxes
"""

import time


while True:
    time.sleep(1)
