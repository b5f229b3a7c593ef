"""Cross entropy with class weights and label smoothing, so that DDP's averaged gradient is that of one process."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def weighted_loss(
    logits: torch.Tensor, labels: torch.Tensor, class_weight: torch.Tensor, smoothing: float, group: "dist.ProcessGroup"
) -> torch.Tensor:
    """Returns the scalar that this rank back-propagates.

    logits: float64 [T, C], differentiable; the rows of this rank. T differs from rank to rank.
    labels: int64 [T]; the class of each row, or -100 for a row that is to be ignored. A rank may have only such rows.
    class_weight: float64 [C]; equal on all ranks. The weights are positive and may all be smaller than 1.
    smoothing: the label smoothing, above 0; equal on all ranks.
    group: the process group.

    Every rank calls this function once, and then backward on what it returns. DDP averages the gradients over the ranks.

    Wanted: after that average, each rank holds the gradient that one process would get from

        cross_entropy(all_logits, all_labels, weight=class_weight, label_smoothing=smoothing)

    with the rows of all ranks (ignore_index is -100). If no row of any rank is labelled, the gradient wanted is zero.
    """
    # What one process would call. On several ranks its denominator is this rank's own: change that.
    return cross_entropy(logits, labels, weight=class_weight, label_smoothing=smoothing)
