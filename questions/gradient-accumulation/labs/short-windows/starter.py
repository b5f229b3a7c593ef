"""Train one epoch under DDP with gradient accumulation, and give the short window at its end the right average as well."""

import torch  # noqa: F401  (you may want it)
import torch.distributed as dist  # noqa: F401
from torch.nn.functional import cross_entropy


def train_epoch(model, microbatches, optimizer, accumulate, group):
    """Takes one optimizer step for every window of this epoch.

    model: a classifier wrapped in DistributedDataParallel, which averages gradients over the ranks; `model(features)` gives
        logits, float64 [positions, 3].
    microbatches: this rank's share of the epoch, a list of `(features, targets, mask)`: float64 [positions, width], int64
        [positions], bool [positions] (True where the position holds a valid token). All ranks have equally many
        microbatches, at least one; positions and valid counts differ.
    optimizer: `step()` and `zero_grad()`. It leaves the parameters as they are and keeps what it saw in `.grad`.
    accumulate: microbatches of a full window. If the number of microbatches is no multiple of it, those left at the end
        are a window too, a short one.
    group: the process group of all ranks.

    Wanted: one step for each window, short or full, and at each step every rank holds in `.grad` the gradient of

        (sum of the losses of the window's valid tokens on all ranks) / (number of valid tokens of the window on all ranks)

    A microbatch, a rank's whole window, or the window on every rank may be without a valid token. In the last case the step
    is still taken, with a zero gradient. The function is called once for each epoch, and nothing is done between epochs.
    """
    for index, (features, targets, mask) in enumerate(microbatches):
        loss = cross_entropy(model(features)[mask], targets[mask])
        # The usual recipe. Is it the average that was asked for, in a full window and in a short one?
        (loss / accumulate).backward()
        if (index + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
