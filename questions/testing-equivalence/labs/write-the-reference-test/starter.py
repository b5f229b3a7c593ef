"""A test for training steps: lets through those that compute the mean over all valid tokens, and no others."""

from collections.abc import Callable

import torch
import torch.distributed as dist


def is_right(train_step: "Callable[..., float]", group: "dist.ProcessGroup") -> bool:
    """Says whether a training step computes what it should. Runs on every rank; all ranks must give the same verdict.

    train_step(model, features, targets, mask, group) -> float:
        model: a torch.nn.Module of yours; ``model(features)`` gives logits [T, C].
        features [T, ...], targets int64 [T], mask bool [T]: this rank's own batch. T may differ from rank to rank.
        It uses the cross entropy of each position, clears old gradients, back-propagates, reduces over the ranks, and leaves
        in each parameter's ``.grad`` what an optimizer would use. It returns the loss that it would log.
        Every rank must call it together with the others.

    A step is right if, whatever the batches are, every rank ends with the gradient of

        (sum of the losses of all valid tokens on all ranks) / (number of valid tokens on all ranks)

    up to rounding (some right steps form their factor in float32, which is off in the eighth digit), and with zeros if there is
    no valid token. You are given fifteen steps, one after the other: right ones in several styles and wrong ones. Make models
    and batches as you like; torch's random numbers are the same on all ranks. What counts is the world size at hand. The judge
    tells which of four groups holds the first step that your test takes for what it isn't: right steps, wrong averages, wrong
    factors (one of them only on some ranks), and wrong edges, which are right as long as a batch is ordinary.
    """
    torch.manual_seed(1)
    rank, ranks = dist.get_rank(group), dist.get_world_size(group)
    model = torch.nn.Linear(4, 3, bias=False, dtype=torch.float64)
    features = torch.randn(ranks, 5, 4, dtype=torch.float64)
    targets = torch.randint(3, (ranks, 5))
    mask = torch.ones(ranks, 5, dtype=torch.bool)  # every rank has five tokens. What does that leave untested?
    train_step(model, features[rank], targets[rank], mask[rank], group)
    found = model.weight.grad.clone()
    model.zero_grad()
    torch.nn.functional.cross_entropy(model(features.flatten(0, 1)), targets.flatten()).backward()
    verdict = torch.tensor(int(torch.allclose(found, model.weight.grad)))
    dist.all_reduce(verdict, op=dist.ReduceOp.MIN, group=group)
    return bool(verdict)
