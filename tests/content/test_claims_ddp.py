"""What items claim of DDP, its hooks and the collectives, as two gloo ranks (``two_ranks.py``) and one process do it."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

Found = dict[str, Any]


@pytest.fixture(scope="session")
def two_ranks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Found, Found]:
    """What the experiments gave on rank 0 and on rank 1."""
    folder = tmp_path_factory.mktemp("ranks")
    script = Path(__file__).with_name("two_ranks.py")
    outs = [folder / f"rank{rank}.json" for rank in range(2)]
    ranks = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), str(folder / "store"), str(outs[rank])],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for process in ranks:
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors[-2000:]
    first, second = (json.loads(out.read_text("utf-8")) for out in outs)
    return first, second


@pytest.mark.parametrize(
    ("experiment", "rank0", "rank1"),
    [
        ("averages", [5.0], [5.0]),
        ("sum hook", [10.0], [10.0]),
        ("stock hook", [5.0], [5.0]),
        ("float16, divided first", [40_000.0], [40_000.0]),
        ("float16, divided last", [math.inf], [math.inf]),
        ("through .module", [8.0], [2.0]),
        # mean(1, 3) of the first microbatch, and each rank's own 2 + 4 and 8 + 16
        ("flag late, first window", [8.0], [26.0]),
        ("flag late, second window", [8.0], [26.0]),
        ("first synchronised", [4.0], [7.0]),
        ("last synchronised", [5.5], [5.5]),
        ("parameter after a forward", 1.0, 7.0),
        ("buffer after a forward", 0.0, 0.0),
        ("unused head", [3.0], [3.0]),
        # Parameter and loss scale, which were 5 and 4: rank 1 overflows.
        ("overflow, scalers apart", [4.0, 4.0], [5.0, 2.0]),
        ("overflow, sharded scaler", [5.0, 2.0], [5.0, 2.0]),
        # the loss is (f0*f1)**2 with f = w*(2, 5) at w = 1, so its derivative is 400
        ("gathered plainly", [200.0], [200.0]),
        ("gathered with gradient", [400.0], [400.0]),
    ],
)
def test_gradients_on_two_ranks(two_ranks: tuple[Found, Found], experiment: str, rank0: object, rank1: object) -> None:
    assert (two_ranks[0][experiment], two_ranks[1][experiment]) == (rank0, rank1)


def test_own_rows_against_all_texts_make_the_gradient_of_the_large_batch_and_small_batches_do_not(
    two_ranks: tuple[Found, Found],
) -> None:
    images, texts = (torch.tensor(values, dtype=torch.float64) for values in (((2, 5), (-1, 0.5)), ((1, 3), (-2, 4))))

    def gradient(left: torch.Tensor, right: torch.Tensor) -> float:
        weight = torch.ones((), dtype=torch.float64, requires_grad=True)
        logits = (weight * left)[:, None] * (weight * right)[None, :]
        functional.cross_entropy(logits, torch.arange(len(left))).backward()
        assert weight.grad is not None
        return float(weight.grad)

    whole = gradient(images.reshape(-1), texts.reshape(-1))
    for rank in two_ranks:
        assert rank["own rows against all texts"] == [pytest.approx(whole, rel=1e-12)]
    parts = [gradient(left, right) for left, right in zip(images, texts, strict=True)]
    assert abs(sum(parts) / 2 - whole) > 0.1 * abs(whole)


def test_join_divides_by_the_launch_size_unless_told_otherwise(two_ranks: tuple[Found, Found]) -> None:
    assert two_ranks[1]["join, launch size"] == [5.0]
    assert two_ranks[1]["join, active ranks"] == [10.0]


def test_parameters_that_no_rank_used_are_noticed_in_the_next_forward(two_ranks: tuple[Found, Found]) -> None:
    for rank in two_ranks:
        assert rank["unused everywhere"].startswith("Expected to have finished reduction in the prior iteration")


def test_a_parameter_used_on_one_rank_lets_that_rank_wait_and_the_other_fail_later(two_ranks: tuple[Found, Found]) -> None:
    assert two_ranks[0]["unused on one rank"].startswith("next forward: Expected to have finished reduction in the prior iteration")
    # It waits until the time is up, or until the other rank is gone.
    assert two_ranks[1]["unused on one rank"].startswith("backward: ")


def test_a_monitored_barrier_names_the_rank_that_is_missing(two_ranks: tuple[Found, Found]) -> None:
    assert "Rank 1 failed to pass monitoredBarrier" in two_ranks[0]["monitored barrier"]


def test_gloo_does_not_average_integers(two_ranks: tuple[Found, Found]) -> None:
    assert "Long" in two_ranks[0]["average of integers"]


@pytest.fixture(scope="module")
def lone_rank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A group of one: enough to see which backward passes reach DDP's hooks."""
    store = dist.FileStore(str(tmp_path_factory.mktemp("lone") / "store"), 1)
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    dist.destroy_process_group()


class Counter:
    """A communication hook that counts its calls and gives the bucket back."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, state: None, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        self.calls += 1
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future


def counted() -> tuple[DistributedDataParallel, Counter]:
    counter = Counter()
    model = DistributedDataParallel(nn.Linear(2, 3))

    # DDP looks at the names of the hook's parameters, so that an object's bound call won't do.
    def hook(state: None, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        return counter(state, bucket)

    model.register_comm_hook(None, hook)
    return model, counter


LABELS = torch.tensor([0, 2, 1, 1])


@pytest.mark.usefixtures("lone_rank")
@pytest.mark.parametrize(("options", "first", "second"), [({}, 8.0, 20.0), ({"scale_grads": False}, 16.0, 48.0)])
def test_a_pipeline_schedule_divides_what_it_finds(options: dict[str, bool], first: float, second: float) -> None:
    """Two schedules of two microbatches each, whose gradients add up to 16 and to 32, and nothing cleared between them."""
    layer = nn.Linear(1, 1, bias=False)
    schedule = ScheduleGPipe(
        PipelineStage(layer, 0, 1, torch.device("cpu")), 2, loss_fn=lambda output, target: output.sum(), **options
    )
    found = []
    for features in ([[4.0], [12.0]], [[24.0], [8.0]]):
        schedule.step(torch.tensor(features), target=torch.zeros(2, 1))
        assert layer.weight.grad is not None
        found.append(layer.weight.grad.item())
    assert found == [first, second]


@pytest.mark.usefixtures("lone_rank")
@pytest.mark.parametrize(("zero", "calls"), [("fresh", 0), ("empty-sum", 1), ("empty-mean", 1), ("times-zero", 1)])
def test_which_zero_reaches_the_hooks(zero: str, calls: int) -> None:
    model, counter = counted()
    logits = model(torch.ones(4, 2))
    losses = functional.cross_entropy(logits, LABELS, reduction="none")
    mask = torch.zeros(4, dtype=torch.bool)
    loss = {
        "fresh": lambda: torch.zeros((), requires_grad=True),
        "empty-sum": lambda: losses[mask].sum(),
        "empty-mean": lambda: losses[mask].mean(),
        "times-zero": lambda: logits.sum() * 0,
    }[zero]()
    loss.backward()
    assert counter.calls == calls
    assert loss.isnan() == (zero == "empty-mean")
    if zero in ("empty-sum", "times-zero"):
        assert all(not parameter.grad.any() for parameter in model.parameters() if parameter.grad is not None)


@pytest.mark.usefixtures("lone_rank")
@pytest.mark.parametrize("microbatches", [3, 4])
def test_reductions_are_as_many_as_forwards_outside_no_sync(microbatches: int) -> None:
    for forward_inside, wanted in ((True, 1), (False, microbatches)):
        model, counter = counted()
        for k in range(microbatches):
            if k == microbatches - 1:
                model(torch.ones(1, 2)).sum().backward()
            elif forward_inside:
                with model.no_sync():
                    model(torch.ones(1, 2)).sum().backward()
            else:
                loss = model(torch.ones(1, 2)).sum()
                with model.no_sync():
                    loss.backward()
        assert counter.calls == wanted


@pytest.mark.usefixtures("lone_rank")
def test_a_forward_past_the_wrapper_reaches_no_hook() -> None:
    model, counter = counted()
    model.module(torch.ones(1, 2)).sum().backward()
    assert counter.calls == 0
    assert next(model.parameters()).grad is not None
