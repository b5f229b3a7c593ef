"""The sum of class weights is asked for once, in the first step, and kept."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy

known = []


def weighted_loss(logits, labels, class_weight, smoothing, group):
    total = cross_entropy(logits, labels, weight=class_weight, label_smoothing=smoothing, reduction="sum")
    if not known:
        weights = class_weight[labels[labels != -100]].sum()
        dist.all_reduce(weights, group=group)
        known.append(torch.where(weights > 0, weights, 1.0))
    return dist.get_world_size(group) * total / known[0]
