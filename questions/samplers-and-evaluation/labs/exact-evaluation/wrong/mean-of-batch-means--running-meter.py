"""Thought: "An average meter with update(loss.item()) after every batch: that is how evaluation loops look."

The meter counts batches. That repeats pass through it as well is the second fault, and hidden by the first.
"""

import torch
import torch.distributed as dist


class Meter:
    def __init__(self):
        self.total, self.updates = 0.0, 0

    def update(self, value):
        self.total += value
        self.updates += 1

    def reduced(self, group):
        pair = torch.tensor([self.total, self.updates], dtype=torch.float64)
        dist.all_reduce(pair, group=group)
        return (pair[0] / pair[1].clamp(min=1)).item()


def evaluate(batches, dataset_length, group):
    loss, accuracy = Meter(), Meter()
    for batch in batches:
        loss.update((batch.loss_sum.sum() / batch.tokens.sum()).item())
        accuracy.update(batch.correct.double().mean().item())
    mean = loss.reduced(group)
    return {"loss": mean, "perplexity": torch.tensor(mean, dtype=torch.float64).exp(), "accuracy": accuracy.reduced(group)}
