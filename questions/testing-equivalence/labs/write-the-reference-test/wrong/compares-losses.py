"""Thought: "The loss of the distributed run has to be that of a single device, on every batch. I test all of them."

Logged values are reduced for the log. What went into backward is another number, and nobody asked for its gradient.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def _batches(counts, padding=2, size=1.0):
    """All ranks' batches; random numbers are the same on all ranks."""
    found = []
    for count in counts:
        mask = torch.tensor([True] * count + [False] * padding)
        features = size * torch.randn(len(mask), 4, dtype=torch.float64)
        found.append((features, torch.randint(3, (len(mask),)), mask))
    return found


def _wanted(model, batches):
    features, targets, mask = (torch.cat(parts) for parts in zip(*batches))
    loss = cross_entropy(model(features), targets, reduction="none")[mask].sum() / mask.sum().clamp(min=1)
    return float(loss.detach()), torch.autograd.grad(loss, model.weight)[0]


def is_right(train_step, group):
    rank, ranks = dist.get_rank(group), dist.get_world_size(group)
    model = torch.nn.Linear(4, 3, bias=False, dtype=torch.float64)
    good = True
    for counts in [
        list(range(2, 2 + ranks)),
        [3] * ranks,
        [0, *range(2, 1 + ranks)],
        [*range(2, 1 + ranks), 0],
        [1] + [0] * (ranks - 1),
        [0] * ranks,
    ]:
        batches = _batches(counts)
        logged = train_step(model, *batches[rank], group)
        loss, _ = _wanted(model, batches)
        good &= abs(logged - loss) <= 1e-5 * abs(loss) + 1e-8
    verdict = torch.tensor(int(good))
    dist.all_reduce(verdict, op=dist.ReduceOp.MIN, group=group)
    return bool(verdict)
