"""Thought: "Batch norm has always used the statistics of the batch at hand."

Of this rank's batch. With few samples on each rank, every replica normalises by another noise.
"""


def merge_moments(count, mean, var, group):
    return {"count": count, "mean": mean, "var": var, "unbiased": var * count / (count - 1).clamp(min=1)}
