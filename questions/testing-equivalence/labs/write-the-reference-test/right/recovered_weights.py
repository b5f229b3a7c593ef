"""Asks which weight each token got: solves for the weights behind the gradient, and wants 1/N for valid ones and 0 for padding."""

import torch
import torch.distributed as dist


def _layouts(ranks):
    rising = [1 + r for r in range(ranks)]
    return [rising, [2] * ranks, [0, *rising[1:]], [*rising[:-1], 0], [1] + [0] * (ranks - 1), [0] * ranks]


def _token_gradients(model, features, targets):
    error = model(features).detach().softmax(1) - torch.nn.functional.one_hot(targets, 3)
    return torch.einsum("tc,td->tcd", error, features).flatten(1)


def is_right(train_step, group):
    me, ranks = dist.get_rank(group), dist.get_world_size(group)
    width = 3 * ranks + ranks * ranks  # more features than tokens: the weights are then unique
    ok = torch.ones((), dtype=torch.int64)
    for layout in _layouts(ranks):
        masks = [torch.tensor([True] * n + [False]) for n in layout]
        features = [torch.randn(len(mask), width, dtype=torch.float64) for mask in masks]
        targets = [torch.randint(3, (len(mask),)) for mask in masks]
        model = torch.nn.Linear(width, 3, bias=False, dtype=torch.float64)
        train_step(model, features[me], targets[me], masks[me], group)
        valid = torch.cat(masks).double()
        wanted = valid / valid.sum().clamp(min=1)
        gradient = model.weight.grad.flatten()
        if not gradient.isfinite().all():
            ok.zero_()
            continue
        rows = _token_gradients(model, torch.cat(features), torch.cat(targets))
        given = torch.linalg.lstsq(rows.T, gradient[:, None]).solution[:, 0]
        explained = torch.allclose(rows.T @ given, gradient, atol=1e-8)
        if not explained or (given - wanted).abs().max() > 1e-6:
            ok.zero_()
    dist.all_reduce(ok, op=dist.ReduceOp.MIN, group=group)
    return bool(ok)
