"""Scale the local loss so that DDP's averaged gradient is the gradient of the global token mean."""

import torch
import torch.distributed as dist  # noqa: F401  (you will want it)


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Returns the scalar that this rank back-propagates.

    token_losses: float64 [T], differentiable; the loss at each position of this rank's batch, padding included.
    mask: bool [T]; True where the position holds a valid token. T and the valid count differ from rank to rank.

    Every rank calls this function once per step, and then calls backward on what it returns. The default process
    group is up. DDP takes the plain average of the gradients over the ranks: it adds them and divides by the world size.

    Wanted: after that average, each rank holds the gradient of

        (sum of the losses of all valid tokens on all ranks) / (number of valid tokens on all ranks)

    A rank may have no valid token at all. If no rank has one, the gradient wanted is zero.
    """
    # This is the right average on one device. On several ranks it is another objective: change it.
    return token_losses[mask].mean()
