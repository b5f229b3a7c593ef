"""Both parts of the loss written out: the target's log loss, and the mean over classes, each class with its own weight."""

import torch.distributed as dist


def weighted_loss(logits, labels, class_weight, smoothing, group):
    kept = labels != -100
    rows, targets = logits[kept], labels[kept]
    log_p = rows - rows.logsumexp(dim=1, keepdim=True)
    weighted = -log_p * class_weight
    target_part = weighted.gather(1, targets[:, None]).sum()
    smooth_part = weighted.mean(dim=1).sum()
    denominator = class_weight.gather(0, targets).sum()
    dist.all_reduce(denominator, group=group)
    scale = dist.get_world_size(group) / denominator if denominator else 0.0
    return scale * ((1 - smoothing) * target_part + smoothing * smooth_part)
