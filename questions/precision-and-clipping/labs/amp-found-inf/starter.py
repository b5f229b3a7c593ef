"""One optimizer step with loss scaling on sharded parameters: all ranks take it, or none does."""

from collections.abc import Callable

import torch
import torch.distributed as dist


def amp_step(
    losses: "list[Callable[[], torch.Tensor]]",
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    max_norm: float,
    group: "dist.ProcessGroup",
) -> None:
    """Accumulates a window, and steps or skips.

    losses: one function for each microbatch of the window; calling it gives the scalar loss of that microbatch. The losses
        are normalized, so the window's gradient is simply the sum of theirs.
    optimizer: SGD over this rank's shard of the parameters. Each rank holds other entries of one long vector. Backward leaves
        the *complete* gradient of the shard in ``.grad``: nothing needs to be reduced. ``.grad`` is None at the start.
    scaler: a GradScaler; all ranks start with the same scale. Gradients overflow as float16 does: a scaled entry beyond 65504
        becomes infinite. That may happen on one rank only.
    max_norm: the limit for the 2-norm of the window's unscaled gradient, all shards taken as one vector.
    group: the process group.

    Wanted: scaled losses are back-propagated. If the window's gradient is finite on all ranks, every rank clips its shard by the
    one norm and steps, and the scale stays. If it isn't finite on some rank, no rank changes its parameters, and every rank
    multiplies its scale by ``scaler.get_backoff_factor()``. The function is called for one window after the other.
    """
    # The recipe for one device, with the clipping that it takes.
    for loss in losses:
        scaler.scale(loss()).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_([p for part in optimizer.param_groups for p in part["params"]], max_norm)
    scaler.step(optimizer)
    scaler.update()
