"""Thought: "A masked mean is sum over mask sum. I keep the window's average as the average of those."

A mean of means, and NaN for everybody as soon as one microbatch of one rank has no valid token.
"""

from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        losses = cross_entropy(model(features), targets, reduction="none")
        ((losses * mask).sum() / mask.sum() / len(microbatches)).backward()
    optimizer.step()
