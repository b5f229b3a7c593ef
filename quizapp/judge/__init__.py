"""The judge: scenarios, runs on real ranks, comparison with the reference, weights, names, verdict.

Knows labs as models and folders; never reads banks, never imports torch, never runs bank or learner code in this process.
"""

import os

# Read when numpy is first imported. A verdict solves dozens of small systems: on busy cores, threads that wait for each other made
# each of them take 150 ms in place of 5.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
