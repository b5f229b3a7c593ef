"""Keeps the local weighted mean and gives it the share of this rank's class weights in those of all ranks."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def weighted_loss(logits, labels, class_weight, smoothing, group):
    mine = (class_weight[labels.clamp(min=0)] * (labels != -100)).sum()
    if mine > 0:
        mean = cross_entropy(logits, labels, weight=class_weight, label_smoothing=smoothing)
    else:
        mean = logits.sum() * 0.0  # the local mean would be 0/0; this zero still reaches DDP's hooks
    parts = [torch.empty_like(mine) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, mine, group=group)
    everyone = torch.stack(parts)
    share = mine / everyone.mean() if everyone.any() else 0.0
    return mean * share
