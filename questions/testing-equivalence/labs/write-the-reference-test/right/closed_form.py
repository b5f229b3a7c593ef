"""No autograd in the reference: for a linear model the gradient is the valid rows of X' (p - y), over their number."""

import torch
import torch.distributed as dist


class Weights(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(4, 3))

    def forward(self, x):
        return x @ self.w


def _expected(model, x, y, valid):
    error = (x @ model.w.detach()).softmax(1)
    error[torch.arange(len(y)), y] -= 1
    return x[valid].T @ error[valid] / max(1, int(valid.sum()))


def is_right(train_step, group):
    me, ranks = dist.get_rank(group), dist.get_world_size(group)
    worst = 0.0
    for seed in range(8):
        torch.manual_seed(seed)
        x, y = torch.randn(ranks, 6, 4, dtype=torch.float64), torch.randint(0, 3, (ranks, 6))
        valid = torch.rand(ranks, 6) < torch.rand(ranks, 1)
        if seed % 4 == 1:
            valid[seed % ranks] = False
        if seed % 4 == 2:
            valid[:] = False
            valid[seed % ranks, 0] = True
        if seed == 3:
            valid[:] = False
        model = Weights()
        train_step(model, x[me], y[me], valid[me], group)
        expected = _expected(model, x.flatten(0, 1), y.flatten(), valid.flatten())
        error = (model.w.grad - expected).abs().max() / expected.abs().max().clamp(min=1e-3)
        worst = max(worst, float("inf") if error.isnan() else float(error))
    errors = torch.tensor(worst, dtype=torch.float64)
    dist.all_reduce(errors, op=dist.ReduceOp.MAX, group=group)
    return float(errors) < 1e-6
