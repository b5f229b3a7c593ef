"""One of two gloo ranks that do what items claim DDP, its hooks and the collectives do; writes what came out as JSON.

Run by ``test_claims_ddp.py``: ``python two_ranks.py RANK STORE OUT``. Here: small experiments, nothing is asserted.
"""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.nn
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from torch.nn.parallel import DistributedDataParallel

Found = float | list[float] | str


def line(*weights: float) -> nn.Linear:
    """A linear layer without bias: the gradient of its output with respect to its weights is its input."""
    layer = nn.Linear(len(weights), 1, bias=False, dtype=torch.float64)
    layer.weight.data[:] = torch.tensor([weights], dtype=torch.float64)
    return layer


def wrapped(width: int = 1, hook: Callable[..., Any] | None = None, **options: Any) -> DistributedDataParallel:
    model = DistributedDataParallel(line(*[1.0] * width), **options)
    if hook is not None:
        model.register_comm_hook(None, hook)
    return model


def row(*values: float) -> torch.Tensor:
    return torch.tensor([values], dtype=torch.float64)


def grad(model: nn.Module) -> list[float]:
    found = next(model.parameters()).grad
    return [] if found is None else found.reshape(-1).tolist()


def averages(rank: int) -> list[float]:
    model = wrapped()
    model(row((8.0, 2.0)[rank])).sum().backward()
    return grad(model)


def sums(state: None, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    work = dist.all_reduce(bucket.buffer(), async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def sum_hook(rank: int) -> list[float]:
    model = wrapped(hook=sums)
    model(row((8.0, 2.0)[rank])).sum().backward()
    return grad(model)


def stock_hook(rank: int) -> list[float]:
    model = wrapped()
    model.register_comm_hook(dist.group.WORLD, default_hooks.allreduce_hook)
    model(row((8.0, 2.0)[rank])).sum().backward()
    return grad(model)


def half_precision_hook(rank: int, hook: Callable[..., Any]) -> list[float]:
    model = wrapped()
    model.register_comm_hook(dist.group.WORLD, hook)
    model(row(40_000.0)).sum().backward()
    return grad(model)


def cast_then_sum(state: dist.ProcessGroup, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Casts, adds up, and divides at last: the sum may be beyond what float16 holds."""
    work = dist.all_reduce(bucket.buffer().to(torch.float16), async_op=True)
    return work.get_future().then(lambda future: (future.value()[0] / dist.get_world_size()).to(torch.float64))


def through_the_module(rank: int) -> list[float]:
    model = wrapped()
    model.module(row((8.0, 2.0)[rank])).sum().backward()
    return grad(model)


WINDOW = ((1.0, 2.0, 4.0), (3.0, 8.0, 16.0))
"""A rank's gradient of each of three microbatches."""


def flag_between_forward_and_backward(rank: int, windows: int) -> list[float]:
    """``require_backward_grad_sync`` is set after the forward, as if backward decided."""
    model = wrapped()
    for _ in range(windows):
        model.zero_grad()
        for k, value in enumerate(WINDOW[rank]):
            out = model(row(value)).sum()
            model.require_backward_grad_sync = k == len(WINDOW[rank]) - 1
            out.backward()
    return grad(model)


def first_synchronised(rank: int, gradients: tuple[tuple[float, ...], tuple[float, ...]]) -> list[float]:
    """The first microbatch outside ``no_sync``, the others inside."""
    model = wrapped()
    for k, value in enumerate(gradients[rank]):
        with model.no_sync() if k else contextlib.nullcontext():
            model(row(value)).sum().backward()
    return grad(model)


def whole_window(rank: int, gradients: tuple[tuple[float, ...], tuple[float, ...]]) -> list[float]:
    model = wrapped()
    for k, value in enumerate(gradients[rank]):
        last = k == len(gradients[rank]) - 1
        with contextlib.nullcontext() if last else model.no_sync():
            model(row(value)).sum().backward()
    return grad(model)


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = line(1.0), line(1.0)

    def forward(self, value: torch.Tensor, use_head: bool) -> torch.Tensor:
        return (self.head if use_head else nn.Identity())(self.body(value)).sum()


def unused_head(rank: int) -> list[float]:
    """The head is used on rank 1 alone, with gradient 6."""
    model = DistributedDataParallel(TwoHeads(), find_unused_parameters=True)
    model(row(6.0), rank == 1).backward()
    return model.module.head.weight.grad.reshape(-1).tolist()  # type: ignore[union-attr]


def unused_everywhere(rank: int) -> str:
    """Without ``find_unused_parameters``; the head is used on no rank. What the second forward says."""
    model = DistributedDataParallel(TwoHeads())
    model(row(6.0), False).backward()
    try:
        model(row(6.0), False)
    except RuntimeError as error:
        return str(error)
    return ""


def unused_on_one_rank(rank: int) -> str:
    """Without ``find_unused_parameters``; rank 1 alone uses the head. Where each rank gets stuck, and what it says."""
    group = dist.new_group(timeout=timedelta(seconds=6))
    model = DistributedDataParallel(TwoHeads(), process_group=group)
    where = "backward"
    try:
        model(row(6.0), rank == 1).backward()
        where = "next forward"
        model(row(6.0), rank == 1)
    except RuntimeError as error:
        return f"{where}: {error}"
    return "nothing"


def touched(rank: int) -> tuple[float, float]:
    """A parameter and a buffer that rank 1 changes after wrapping, as they are after a forward."""
    inner = line(1.0)
    inner.register_buffer("seen", torch.zeros((), dtype=torch.float64))
    model = DistributedDataParallel(inner)
    if rank:
        inner.weight.data.fill_(7.0)
        inner.seen.fill_(7.0)
    model(row(1.0))
    return inner.weight.item(), inner.seen.item()


def average_of_integers(rank: int) -> str:
    try:
        dist.all_reduce(torch.tensor(rank + 3), op=dist.ReduceOp.AVG)
    except RuntimeError as error:
        return str(error)
    return ""


FEATURES = (2.0, 5.0)
"""What each rank's encoder turns into its feature; the encoder is one weight of 1."""


def contrast(all_features: list[torch.Tensor]) -> torch.Tensor:
    """A loss of all features together that is no sum over ranks: (f0 * f1)**2."""
    return ((all_features[0] * all_features[1]) ** 2).sum()


def gathered(rank: int, differentiable: bool) -> list[float]:
    model = wrapped()
    feature = model(row(FEATURES[rank]))
    if differentiable:
        features = list(torch.distributed.nn.all_gather(feature))
    else:
        features = [torch.empty_like(feature) for _ in FEATURES]
        dist.all_gather(features, feature.detach())
        features[rank] = feature
    contrast(features).backward()
    return grad(model)


IMAGES, TEXTS = ((2.0, 5.0), (-1.0, 0.5)), ((1.0, 3.0), (-2.0, 4.0))
"""Of each rank; ``test_claims_ddp.py`` takes the same in one process."""


def own_rows_against_all_texts(rank: int) -> list[float]:
    """A contrastive loss of the rank's own images and the texts of both ranks, gathered with a gradient."""
    model = wrapped()
    features = model(torch.tensor([*IMAGES[rank], *TEXTS[rank]], dtype=torch.float64).reshape(-1, 1)).reshape(-1)
    texts = torch.cat(list(torch.distributed.nn.all_gather(features[2:])))
    right = torch.arange(2) + 2 * rank
    nn.functional.cross_entropy(features[:2, None] * texts[None, :], right).backward()
    return grad(model)


def joined(rank: int, by_launch_size: bool) -> list[float]:
    """Rank 0 has one batch and rank 1 two; the gradient of rank 1's second step."""
    model = wrapped()
    with model.join(divide_by_initial_world_size=by_launch_size):
        for value in ((8.0,), (2.0, 10.0))[rank]:
            model.zero_grad()
            model(row(value)).sum().backward()
    return grad(model)


def missing_at_a_barrier(rank: int) -> str:
    """Rank 1 stays away; what rank 0's monitored barrier says."""
    if rank:
        return ""
    try:
        dist.monitored_barrier(timeout=timedelta(seconds=1))
    except RuntimeError as error:
        return str(error)
    return "nothing"


def overflow_on_one_rank(rank: int, scaler: torch.amp.GradScaler) -> list[float]:
    """Rank 1's shard overflows; the parameter and the loss scale after the step."""
    weight = nn.Parameter(torch.tensor([5.0]))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler.scale(torch.zeros(()))
    weight.grad = torch.tensor([(4.0, float("inf"))[rank]])
    scaler.step(optimizer)
    scaler.update()
    return [weight.item(), scaler.get_scale()]


def experiments(rank: int) -> Iterator[tuple[str, Found]]:
    yield "averages", averages(rank)
    yield "sum hook", sum_hook(rank)
    yield "stock hook", stock_hook(rank)
    yield "float16, divided first", half_precision_hook(rank, default_hooks.fp16_compress_hook)
    yield "float16, divided last", half_precision_hook(rank, cast_then_sum)
    yield "through .module", through_the_module(rank)
    yield "flag late, first window", flag_between_forward_and_backward(rank, 1)
    yield "flag late, second window", flag_between_forward_and_backward(rank, 2)
    yield "first synchronised", first_synchronised(rank, ((2.0, 1.0), (4.0, 4.0)))
    yield "last synchronised", whole_window(rank, ((2.0, 1.0), (4.0, 4.0)))
    yield "parameter after a forward", touched(rank)[0]
    yield "buffer after a forward", touched(rank)[1]
    yield "average of integers", average_of_integers(rank)
    yield "unused head", unused_head(rank)
    yield "unused everywhere", unused_everywhere(rank)
    yield "gathered plainly", gathered(rank, False)
    yield "gathered with gradient", gathered(rank, True)
    yield "own rows against all texts", own_rows_against_all_texts(rank)
    yield "join, launch size", joined(rank, True)
    yield "join, active ranks", joined(rank, False)
    yield "overflow, scalers apart", overflow_on_one_rank(rank, torch.amp.GradScaler("cpu", init_scale=4.0))
    sharded = ShardedGradScaler("cpu", init_scale=4.0, process_group=dist.group.WORLD)
    yield "overflow, sharded scaler", overflow_on_one_rank(rank, sharded)
    yield "unused on one rank", unused_on_one_rank(rank)
    yield "monitored barrier", missing_at_a_barrier(rank)


def main(rank: int, store: str, out: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.FileStore(store, 2), rank=rank, world_size=2, timeout=timedelta(seconds=120))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(dict(experiments(rank)), file)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
