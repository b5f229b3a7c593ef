"""Thought: "Ignored rows have no target, so their log loss is zero. The smoothing part is the same for all rows anyway."

The same for all rows, and so it trains the ignored ones too, towards the uniform distribution.
"""

import torch.distributed as dist


def weighted_loss(logits, labels, class_weight, smoothing, group):
    kept = labels != -100
    weighted = -logits.log_softmax(dim=-1) * class_weight
    target_part = weighted.gather(1, labels.clamp(min=0)[:, None]).squeeze(1).masked_fill(~kept, 0.0).sum()
    smooth_part = weighted.mean(dim=-1).sum()
    mass = class_weight[labels[kept]].sum()
    dist.all_reduce(mass, group=group)
    scale = dist.get_world_size(group) / mass if mass > 0 else 0.0
    return scale * ((1 - smoothing) * target_part + smoothing * smooth_part)
