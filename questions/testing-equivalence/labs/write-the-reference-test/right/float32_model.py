"""Tests in float32, the precision of training, with a deeper model, and a tolerance that float32 can keep."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def is_right(train_step, group):
    me, ranks = dist.get_rank(group), dist.get_world_size(group)
    votes = []
    patterns = [
        [[1] * (2 * r + 1) + [0] for r in range(ranks)],
        [[1, 0, 1]] * ranks,
        [[0, 0]] + [[1] * (r + 1) + [0] for r in range(1, ranks)],
        [[1] * (r + 1) + [0] for r in range(ranks - 1)] + [[0]],
        [[0, 1]] + [[0]] * (ranks - 1),
        [[0, 0, 0]] * ranks,
    ]
    for pattern in patterns:
        masks = [torch.tensor(row, dtype=torch.bool) for row in pattern]
        inputs = [torch.randn(len(mask), 5) for mask in masks]
        labels = [torch.randint(4, (len(mask),)) for mask in masks]
        model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4))
        train_step(model, inputs[me], labels[me], masks[me], group)
        flat = torch.cat([p.grad.reshape(-1) for p in model.parameters()])
        model.zero_grad(set_to_none=True)
        everything = cross_entropy(model(torch.cat(inputs)), torch.cat(labels), reduction="none")
        (everything * torch.cat(masks)).sum().div(max(1, sum(map(sum, pattern)))).backward()
        expected = torch.cat([p.grad.reshape(-1) for p in model.parameters()])
        votes.append((flat - expected).norm() <= 1e-4 * expected.norm() + 1e-6)
    mine = torch.stack(votes).all().to(torch.int32).reshape(1)
    all_votes = [torch.zeros_like(mine) for _ in range(ranks)]
    dist.all_gather(all_votes, mine, group=group)
    return bool(torch.cat(all_votes).all())
