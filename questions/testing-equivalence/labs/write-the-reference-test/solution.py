"""Compares gradients with one device, on every rank, for counts that are uneven, sparse and empty, and lets the ranks agree."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def _counts(ranks):
    """Valid tokens on each rank, for each case."""
    yield list(range(2, 2 + ranks))  # all different
    yield [3] * ranks
    yield [0, *range(2, 1 + ranks)]  # the first rank has none
    yield [*range(2, 1 + ranks), 0]
    yield [0] * (ranks - 1) + [1]  # fewer tokens than ranks
    yield [0] * ranks


def _batches(counts, generator):
    """Every rank makes all batches, so that every rank can compute the reference. Padding has real targets."""
    for count in counts:
        mask = torch.cat([torch.ones(count), torch.zeros(2)]).bool()[torch.randperm(count + 2, generator=generator)]
        features = torch.randn(len(mask), 4, generator=generator, dtype=torch.float64)
        yield features, torch.randint(3, (len(mask),), generator=generator), mask


def is_right(train_step, group):
    rank, generator = dist.get_rank(group), torch.Generator().manual_seed(7)
    model = torch.nn.Linear(4, 3, dtype=torch.float64)
    good = True
    for counts in _counts(dist.get_world_size(group)):
        batches = list(_batches(counts, generator))
        train_step(model, *batches[rank], group)
        found = [parameter.grad.clone() for parameter in model.parameters()]
        features, targets, mask = (torch.cat(parts) for parts in zip(*batches, strict=True))
        losses = cross_entropy(model(features), targets, reduction="none")
        mean = losses[mask].sum() / mask.sum().clamp(min=1)
        wanted = torch.autograd.grad(mean, list(model.parameters()))
        # Relative to the gradient's size; NaN is close to nothing. No early return: the other ranks go on calling.
        good &= all(torch.allclose(f, w, rtol=1e-5, atol=1e-8) for f, w in zip(found, wanted, strict=True))
    verdict = torch.tensor(int(good))
    dist.all_reduce(verdict, op=dist.ReduceOp.MIN, group=group)
    return bool(verdict)
