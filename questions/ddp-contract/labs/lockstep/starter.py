"""Take a training step, or skip it, so that all ranks always do the same."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(
    model: torch.nn.parallel.DistributedDataParallel, batch, optimizer: torch.optim.Optimizer, group: dist.ProcessGroup
) -> None:
    """Makes one training step on every rank, or skips it on every rank. Called several times in a row.

    model: in DDP, which averages gradients over ranks in backward. model(features) gives logits [positions, 3].
    batch: this rank's (features float64 [positions, width], targets int64 [positions], mask bool [positions]); mask is True
        at valid tokens. Padded positions hold real targets too.
    optimizer: nothing but this function calls its zero_grad and step. Gradients stay in `.grad` until zero_grad.
    group: the process group of all ranks.

    The rule:
        - The objective of a step is the mean cross entropy over the valid tokens of all ranks. Ranks hold different counts,
          and some may hold none; as long as any rank holds one, the step is taken.
        - If no rank has a valid token, all ranks skip: optimizer.step isn't called.
        - If the loss of any rank isn't finite (here a corrupt sample makes it NaN, or infinite), all ranks skip.
        - A skipped step leaves no trace in the next one.
    """
    # One device's habit. On several ranks it averages means, steps on NaN, and lets an empty rank run away. Change it.
    features, targets, mask = batch
    if not mask.any():
        return
    optimizer.zero_grad()
    cross_entropy(model(features)[mask], targets[mask]).backward()
    optimizer.step()
