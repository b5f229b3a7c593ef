"""Thought: "The loss is a mean, so I divide by my tokens, and the reduction averages the rest."

On every mesh with more than one slice this is a mean of means.
"""


def gradient_scale(kind, mesh, tokens, reduction, groups):
    return 1.0 / tokens if tokens > 0 else 0.0
