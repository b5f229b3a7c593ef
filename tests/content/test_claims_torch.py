"""What items claim of optimizers, samplers, loaders, losses and number formats, as torch does it in one process."""

import math
from typing import cast

import pytest
import torch
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def after_three_steps(
    kind: type[torch.optim.Optimizer], factor: float, clip: float | None = None, **options: float
) -> torch.Tensor:
    """A parameter after three steps on fixed gradients times a factor, minus its start."""
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64))
    optimizer = kind([weight], lr=0.01, **options)  # type: ignore[call-arg]
    for gradient in ((0.3, -0.4, 1.2), (0.5, 0.2, -0.8), (-1.0, 0.7, 0.6)):
        weight.grad = factor * torch.tensor(gradient, dtype=torch.float64)
        if clip is not None:
            torch.nn.utils.clip_grad_norm_([weight], clip)
        optimizer.step()
    return weight.detach() - torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)


@pytest.mark.parametrize("factor", [1 / 8, 64.0])
def test_adamw_hides_a_constant_factor_and_sgd_does_not(factor: float) -> None:
    adamw = after_three_steps(torch.optim.AdamW, 1.0, weight_decay=0.1)
    assert torch.allclose(after_three_steps(torch.optim.AdamW, factor, weight_decay=0.1), adamw, rtol=1e-6)
    sgd = after_three_steps(torch.optim.SGD, 1.0, momentum=0.9)
    assert torch.allclose(after_three_steps(torch.optim.SGD, factor, momentum=0.9), factor * sgd)
    clipped = after_three_steps(torch.optim.SGD, 1.0, clip=0.01)
    assert torch.allclose(after_three_steps(torch.optim.SGD, factor, clip=0.01), clipped, rtol=1e-4)


def test_adam_with_a_decay_in_the_gradient_or_a_large_epsilon_sees_the_factor() -> None:
    for options in ({"weight_decay": 0.1}, {"eps": 0.1}):
        whole, eighth = (after_three_steps(torch.optim.Adam, factor, **options) for factor in (1.0, 1 / 8))
        assert not torch.allclose(whole, eighth, rtol=1e-2)


def numbers(count: int) -> Dataset[int]:
    """0 to ``count`` - 1; whatever has a length and can be indexed is a dataset."""
    return cast("Dataset[int]", range(count))


def order(sampler: DistributedSampler[int]) -> list[int]:
    return list(sampler)


def test_a_sampler_whose_epoch_is_set_late_shows_the_log_of_the_item() -> None:
    sampler: DistributedSampler[int] = DistributedSampler(numbers(6), num_replicas=2, rank=0, seed=0)
    log = []
    for epoch in range(4):
        log.append(order(sampler))
        sampler.set_epoch(epoch)
    assert log == [[2, 3, 1], [2, 3, 1], [1, 2, 3], [0, 1, 4]]
    never: DistributedSampler[int] = DistributedSampler(numbers(6), num_replicas=2, rank=0, seed=0)
    assert [order(never) for _ in range(3)] == [[2, 3, 1]] * 3


def test_a_loader_takes_a_sampler_or_a_shuffle() -> None:
    sampler: DistributedSampler[int] = DistributedSampler(numbers(6), num_replicas=2, rank=0)
    assert sampler.shuffle
    with pytest.raises(ValueError, match="mutually exclusive"):
        DataLoader(numbers(6), sampler=sampler, shuffle=True)


@pytest.mark.parametrize(("length", "ranks", "batch"), [(11, 2, 4), (13, 3, 2), (22, 4, 5)])
def test_shards_are_filled_up_and_their_last_batches_dropped(length: int, ranks: int, batch: int) -> None:
    scored = []
    for rank in range(ranks):
        sampler: DistributedSampler[int] = DistributedSampler(
            numbers(length),
            num_replicas=ranks,
            rank=rank,
            shuffle=False,
        )
        assert len(sampler) == math.ceil(length / ranks)
        loader: DataLoader[int] = DataLoader(numbers(length), batch_size=batch, sampler=sampler, drop_last=True)
        scored += [int(index) for indices in loader for index in indices]
    wanted = ranks * batch * (math.ceil(length / ranks) // batch)
    assert sorted(scored) == list(range(wanted))


def test_a_causal_loss_sums_over_the_labels_behind_the_shift() -> None:
    torch.manual_seed(0)
    labels = torch.randint(0, 7, (4, 4))
    logits = torch.randn(4, 4, 7)
    shifted = functional.cross_entropy(logits[:, :-1].reshape(-1, 7), labels[:, 1:].reshape(-1), reduction="none")
    assert len(shifted) == 12
    assert int((labels != -100).sum()) == 16


def test_even_guesses_cost_the_logarithm_of_the_number_of_classes() -> None:
    loss = functional.cross_entropy(torch.zeros(3, 50304), torch.tensor([0, 5, 50303]))
    assert round(float(loss), 2) == round(math.log(50304), 2) == 10.83


@pytest.mark.filterwarnings("ignore:reduction. 'mean'")
def test_reductions_of_a_divergence_divide_by_rows_or_by_everything_and_see_padding() -> None:
    torch.manual_seed(0)
    rows, positions, vocabulary = 4, 6, 50
    student, teacher = torch.randn(2, rows, positions, vocabulary, dtype=torch.float64)
    said, meant = student.log_softmax(-1), teacher.softmax(-1)
    total = functional.kl_div(said, meant, reduction="sum")
    torch.testing.assert_close(functional.kl_div(said, meant, reduction="batchmean"), total / rows)
    torch.testing.assert_close(functional.kl_div(said, meant, reduction="mean"), total / (rows * positions * vocabulary))
    assert bool((functional.kl_div(said, meant, reduction="none").sum(-1) > 0).all())


def test_a_divergence_at_a_high_temperature_pulls_with_one_over_its_square() -> None:
    torch.manual_seed(0)
    student, teacher = torch.randn(2, 8, 50, dtype=torch.float64)

    def pull(temperature: float) -> float:
        logits = student.clone().requires_grad_()
        said, meant = (logits / temperature).log_softmax(-1), (teacher / temperature).softmax(-1)
        functional.kl_div(said, meant, reduction="sum").backward()
        assert logits.grad is not None
        return float(logits.grad.norm())

    assert pull(10) / pull(40) == pytest.approx(16, rel=0.01)


def test_batches_on_twice_the_ranks_lie_twice_as_far_in_the_order() -> None:
    def dealt(ranks: int, steps: int) -> set[int]:
        """What is dealt in the first steps of 16 samples per rank."""
        samplers = [DistributedSampler(numbers(4096), num_replicas=ranks, rank=rank, seed=5) for rank in range(ranks)]
        return {index for sampler in samplers for index in order(sampler)[: 16 * steps]}

    seen, skipped = dealt(8, 3), dealt(16, 3)
    assert seen < skipped
    assert (len(seen), len(skipped - seen)) == (384, 384)


def test_a_mean_written_into_an_integer_is_rounded_down() -> None:
    count = torch.tensor(7)
    count.copy_(count / 2)
    assert int(count) == 3


def test_comparisons_with_nan_are_false() -> None:
    error, tolerance = torch.tensor(math.nan), 1e-5
    assert not error > tolerance
    assert not error <= tolerance
    with pytest.raises(AssertionError):
        torch.testing.assert_close(error, torch.tensor(0.0))


def test_dropout_on_shards_is_not_dropout_on_the_whole() -> None:
    def mask(rows: int) -> torch.Tensor:
        torch.manual_seed(0)
        return functional.dropout(torch.ones(rows, 64), training=True)

    ranks = [mask(2) for _ in range(2)]
    assert torch.equal(*ranks)
    assert not torch.equal(torch.cat(ranks), mask(4))


def test_plateau_schedulers_with_their_own_losses_part() -> None:
    rates = []
    for losses in ([1.0, 0.9, 0.8, 0.7], [1.0, 1.1, 1.1, 1.1]):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=3e-4)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
        for loss in losses:
            scheduler.step(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([3e-4, 1.5e-4])


def test_number_formats() -> None:
    assert torch.finfo(torch.float16).max == 65504
    assert torch.finfo(torch.bfloat16).eps == 2**-7
    # the error of rounding is half of that: 0.4 percent
    worst = torch.tensor(1 + 2**-8, dtype=torch.float64)
    assert abs(float(worst.to(torch.bfloat16)) / float(worst) - 1) == pytest.approx(0.004, rel=0.05)
    assert torch.tensor(2000.0).half().isfinite()
    assert (64 * torch.tensor(2000.0)).half().isinf()
