"""Thought: "loss / accumulate, and a step for the remainder. That is how the examples do it."

A mean of means in every window, and in the short one a mean that is divided by microbatches which don't exist.
"""

from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    optimizer.zero_grad()
    for index, (features, targets, mask) in enumerate(microbatches, start=1):
        losses = cross_entropy(model(features), targets, reduction="none")
        (losses[mask].sum() / mask.sum().clamp(min=1) / accumulate).backward()
        if index % accumulate == 0 or index == len(microbatches):
            optimizer.step()
            optimizer.zero_grad()
