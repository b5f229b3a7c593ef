"""The reference is a slope: the objective is evaluated on either side of each parameter, on all ranks' tokens."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy

CASES = ("uneven", "even", "first empty", "last empty", "one token", "nothing")


def _masks(case, ranks):
    size = {
        "uneven": range(1, ranks + 1),
        "even": [2] * ranks,
        "first empty": [0, *[r + 1 for r in range(1, ranks)]],
        "last empty": [*[ranks - r for r in range(ranks - 1)], 0],
        "one token": [1] + [0] * (ranks - 1),
        "nothing": [0] * ranks,
    }[case]
    return torch.stack([torch.arange(ranks + 2) >= ranks + 2 - n for n in size])  # padding in front


def _objective(model, features, targets, masks):
    with torch.no_grad():
        losses = cross_entropy(model(features.flatten(0, 1)), targets.flatten(), reduction="none")
        return float((losses * masks.flatten()).sum() / masks.sum().clamp(min=1))


def is_right(train_step, group):
    me, ranks, step = dist.get_rank(group), dist.get_world_size(group), 1e-5
    failures = torch.zeros(())
    for case in CASES:
        model = torch.nn.Linear(2, 3, bias=False, dtype=torch.float64)
        features, targets = torch.randn(ranks, ranks + 2, 2, dtype=torch.float64), torch.randint(3, (ranks, ranks + 2))
        masks = _masks(case, ranks)
        train_step(model, features[me], targets[me], masks[me], group)
        found = model.weight.grad.flatten().tolist()
        flat = model.weight.data.view(-1)
        for place, value in enumerate(found):
            here = flat[place].item()
            flat[place] = here + step
            above = _objective(model, features, targets, masks)
            flat[place] = here - step
            below = _objective(model, features, targets, masks)
            flat[place] = here
            if not abs(value - (above - below) / (2 * step)) < 1e-7 + 1e-5 * abs(value):
                failures += 1
    dist.all_reduce(failures, group=group)
    return failures.item() == 0
