"""One gradient out of a window's gradient sums: normalized, reduced, and clipped by its one norm."""

import torch
import torch.distributed as dist


def clipped_gradient(
    gradients: list[list[torch.Tensor]], counts: list[int], max_norm: float, sharded: bool, group: "dist.ProcessGroup"
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Returns the clipped gradient of the step, and its norm before clipping.

    gradients: one list for each microbatch of the window, holding one float64 tensor for each parameter: the gradient of the
        *sum* of token losses. What they hold depends on ``sharded``:
        - False: whole tensors, and only this rank's own tokens are in them. Nothing has been reduced yet.
        - True: this rank's shards of tensors that are *already added up over all ranks*, as a summing reduce-scatter leaves
          them. Shards differ in length, and one may be empty.
    counts: this rank's valid tokens in each microbatch. A rank may have none.
    max_norm: the limit; equal on all ranks.
    sharded: see above; equal on all ranks.
    group: the process group.

    Wanted is g, the gradient of the mean loss over all valid tokens of the window on all ranks, and n, the 2-norm of all of g
    taken as one vector. Return (clipped, n): ``clipped`` is g where n <= max_norm, else g * max_norm / n; a list of tensors
    shaped like those of one microbatch, so each rank returns the whole gradient, or its shards of it. n is the same on all
    ranks. If no token is valid, g and n are zero. A relative 1e-6 more or less (as a guard in a divisor) is no matter.
    """
    # Works on one device, where whole and shard, own and all are the same.
    total = [sum(tensors) / max(1, sum(counts)) for tensors in zip(*gradients, strict=True)]
    norm = torch.sqrt(sum((tensor**2).sum() for tensor in total))
    return [tensor * min(1.0, max_norm / (float(norm) + 1e-6)) for tensor in total], norm
