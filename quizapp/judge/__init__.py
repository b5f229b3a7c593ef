"""The judge: scenarios, runs on real ranks, comparison with the reference, weights, names, verdict.

Knows labs as models and folders; never reads banks, never imports torch, never runs bank or learner code in this process.
"""
