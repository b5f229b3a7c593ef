"""Thought: "Uneven counts catch the mean of means. That is the bug one has to fear."

Ranks without any valid token bring another kind: 0/0, tokens that nobody has, guards that bite.
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
    for counts in [list(range(2, 2 + ranks)), [3] * ranks, list(range(ranks, 0, -1))]:
        batches = _batches(counts)
        train_step(model, *batches[rank], group)
        found = model.weight.grad.clone()
        _, wanted = _wanted(model, batches)
        good &= torch.allclose(found, wanted, rtol=1e-5, atol=1e-8)
    verdict = torch.tensor(int(good))
    dist.all_reduce(verdict, op=dist.ReduceOp.MIN, group=group)
    return bool(verdict)
