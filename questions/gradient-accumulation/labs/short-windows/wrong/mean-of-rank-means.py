"""Thought: "Count the window's tokens before the first backward, divide each microbatch's sum by that. DDP does the rest."

The window is one average now, on each rank by itself; DDP then weighs the ranks alike.
"""

from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        window = microbatches[start : start + accumulate]
        count = max(int(sum(mask.sum() for _, _, mask in window)), 1)
        optimizer.zero_grad()
        for features, targets, mask in window:
            (cross_entropy(model(features)[mask], targets[mask], reduction="sum") / count).backward()
        optimizer.step()
