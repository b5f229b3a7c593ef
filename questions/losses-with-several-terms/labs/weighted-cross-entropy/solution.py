"""R times the local weighted sum, divided by the class weights of all labelled rows on all ranks."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def weighted_loss(logits, labels, class_weight, smoothing, group):
    # Summed, cross_entropy leaves the division to us; it skips ignored rows in both parts of the loss.
    total = cross_entropy(logits, labels, weight=class_weight, label_smoothing=smoothing, reduction="sum")
    # The denominator that reduction="mean" would use, for this rank: each labelled row counts with its class's weight.
    weights = class_weight[labels[labels != -100]].sum()
    dist.all_reduce(weights, group=group)
    # A sum of weights may be small without being empty, so the guard asks for 0 and for nothing else.
    return dist.get_world_size(group) * total / torch.where(weights > 0, weights, 1.0)
