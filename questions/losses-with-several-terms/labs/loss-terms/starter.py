"""One scalar out of three loss terms, each with its own denominator, so that the averaged gradient is that of the objective."""

import torch
import torch.distributed as dist


def microbatch_loss(
    k: int,
    ce: torch.Tensor,
    aux: torch.Tensor,
    z: torch.Tensor,
    masks: list[torch.Tensor],
    settings: "tuple[float, float, int]",
    group: "dist.ProcessGroup",
) -> torch.Tensor:
    """Returns the scalar to back-propagate for microbatch k of a window.

    ce: float64 [T]; the token losses of this rank's microbatch, padding included.
    aux: float64 []; the load-balancing loss of this microbatch. It is an average over its positions already.
    z: float64 [T]; the router z-loss of each position. Padded positions are routed like all others, and count.
    masks: bool [T'] for each microbatch that the window really has on this rank; ``masks[k]`` belongs to ``ce``. True at
        valid tokens. All ranks have the same number of microbatches; a microbatch, or a rank, may have no valid token.
    settings: ``alpha``, ``beta``, and ``accumulate``, the microbatches per window as configured. The last window may be shorter.
    group: the process group.

    The trainer calls this function and then backward for each microbatch of the window, and averages the accumulated gradients
    over the ranks (adds them up and divides by the world size), as DDP does.

    Wanted: the gradient of   mean of ce   over the window's valid tokens, all ranks and microbatches together
                 + alpha  *   mean of aux  over the window's microbatches, on all ranks
                 + beta   *   mean of z    over the window's positions, all ranks and microbatches together

    If no token of the window is valid, the first term is zero, and the others are what they always are.
    """
    # Right on one device with one microbatch. Each of the three denominators needs a look.
    alpha, beta, _ = settings
    return (ce * masks[k]).sum() / masks[k].sum().clamp(min=1) + alpha * aux + beta * z.mean()
