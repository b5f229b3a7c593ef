"""Thought: "After the reduction all ranks must hold the same gradient. If they do, the step is right."

That shows that something was reduced, and nothing of what.
"""

import torch
import torch.distributed as dist


def _batches(counts):
    """All ranks' batches; random numbers are the same on all ranks."""
    found = []
    for count in counts:
        mask = torch.tensor([True] * count + [False, False])
        features = torch.randn(len(mask), 4, dtype=torch.float64)
        found.append((features, torch.randint(3, (len(mask),)), mask))
    return found


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
        train_step(model, *_batches(counts)[rank], group)
        mine = model.weight.grad.clone()
        first = mine.clone()
        dist.broadcast(first, src=0, group=group)
        good &= bool(mine.isfinite().all()) and torch.allclose(mine, first)
    verdict = torch.tensor(int(good))
    dist.all_reduce(verdict, op=dist.ReduceOp.MIN, group=group)
    return bool(verdict)
