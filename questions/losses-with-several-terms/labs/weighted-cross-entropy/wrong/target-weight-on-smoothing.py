"""Thought: "A row's weight is its class's weight, so I multiply the smoothed loss by that."

cross_entropy weighs every class in the smoothing part with that class's own weight, not with the target's.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def weighted_loss(logits, labels, class_weight, smoothing, group):
    rows = cross_entropy(logits, labels, label_smoothing=smoothing, reduction="none")
    weights = class_weight[labels.clamp(min=0)] * (labels != -100)
    total = weights.sum()
    dist.all_reduce(total, group=group)
    return dist.get_world_size(group) * torch.dot(rows, weights) / (total if total > 0 else 1.0)
