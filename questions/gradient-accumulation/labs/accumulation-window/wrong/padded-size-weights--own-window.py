"""Thought: "A weighted mean over my microbatches, by their lengths; and ranks are averaged by DDP."

Lengths count padding, and each rank weighs against its own window only.
"""

from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    lengths = [mask.numel() for _, _, mask in microbatches]
    optimizer.zero_grad()
    for length, (features, targets, mask) in zip(lengths, microbatches, strict=True):
        kept = cross_entropy(model(features), targets, reduction="none")[mask]
        ((length / sum(lengths)) * kept.sum() / max(len(kept), 1)).backward()
    optimizer.step()
