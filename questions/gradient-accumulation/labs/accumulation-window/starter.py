"""Make one optimizer step out of several microbatches under DDP: the mean over all tokens of the window, on all ranks."""

import torch  # noqa: F401  (you may want it)
import torch.distributed as dist  # noqa: F401
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    """Takes one optimizer step for this window.

    model: a classifier wrapped in DistributedDataParallel, which averages gradients over the ranks; `model(features)` gives
        logits, float64 [positions, 3].
    microbatches: this rank's share of the window, a list of `(features, targets, mask)`: float64 [positions, width], int64
        [positions], bool [positions] (True where the position holds a valid token). All ranks have equally many
        microbatches, at least one; positions and valid counts differ. Another window may have another number of them.
    optimizer: `step()` and `zero_grad()`. It leaves the parameters as they are and keeps what it saw in `.grad`.
    group: the process group of all ranks.

    Wanted: one step, at which every rank holds in `.grad` the gradient of

        (sum of the losses of the window's valid tokens on all ranks) / (number of valid tokens of the window on all ranks)

    A microbatch, a rank's whole window, or the window on every rank may be without a valid token. In the last case the step
    is still taken, with a zero gradient. The function is called once for each window, and nothing is done in between.
    """
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        with model.no_sync():
            loss = cross_entropy(model(features)[mask], targets[mask])
            (loss / len(microbatches)).backward()
    optimizer.step()
