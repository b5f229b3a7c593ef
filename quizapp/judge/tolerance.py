"""How far a right program may be off: derived from dtypes and the length of sums, never guessed."""

import numpy as np

EPSILON_64 = float(np.finfo(np.float64).eps)
EPSILON_32 = float(np.finfo(np.float32).eps)
SAFETY = 8.0
"""Over the worst-case bound of one summation: forward, backward and reduction each round, in an order that programs choose."""
SCALE_ROUNDINGS = 4
"""Factors such as ``world_size / count`` that a program may well compute in float32, torch's default for quotients of integers."""


def rounding(longest_sum: int) -> float:
    """Relative rounding of float64 sums: n additions in any order err by at most n*eps of the summed magnitudes (Higham,
    Accuracy and Stability of Numerical Algorithms, section 4.2, to first order)."""
    return SAFETY * longest_sum * EPSILON_64


def tolerance(longest_sum: int) -> float:
    """What a right program may be off, relative to the summed magnitudes: float64 sums, times a few float32 factors."""
    return rounding(longest_sum) + SAFETY * SCALE_ROUNDINGS * EPSILON_32
