"""Bring your own training step: any style of data parallelism, as long as each step is the mean over all valid tokens."""

import torch  # noqa: F401  (you may want it)
import torch.distributed as dist  # noqa: F401
from torch.nn.functional import cross_entropy


def train_step(model, microbatches, optimizer, group):
    """Takes one optimizer step.

    model: a plain classifier, equal on all ranks and not wrapped in anything; `model(features)` gives logits, float64
        [positions, 3].
    microbatches: this rank's share of the step, a list of `(features, targets, mask)`: float64 [positions, width], int64
        [positions], bool [positions] (True where the position holds a valid token). All ranks have equally many
        microbatches, at least one; positions and valid counts differ. Another step may have another number of them.
    optimizer: `step()` and `zero_grad()`, over `model.parameters()`. It leaves the parameters as they are and keeps what it
        saw in their `.grad`.
    group: the process group of all ranks; it is the default group too.

    Wanted: one call of `optimizer.step()`, at which every rank holds in `.grad` the gradient of

        (sum of the losses of all valid tokens on all ranks) / (number of valid tokens on all ranks)

    A microbatch, a rank's whole share, or the step on every rank may be without a valid token. In the last case the step is
    still taken, with a zero gradient. How the ranks come to one gradient is up to you: collectives on gradients or on
    losses, DDP around the model, gathering. Paste the step that you use at work, if you like, and read its weights.
    """
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        loss = cross_entropy(model(features)[mask], targets[mask])
        (loss / len(microbatches)).backward()
    optimizer.step()
