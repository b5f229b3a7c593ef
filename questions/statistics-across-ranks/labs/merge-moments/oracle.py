"""The moments of all samples on one device, from the samples themselves, and what each wrong idea merges."""

import torch

from quizapp_sandbox.contract import Scenario, misconception

BASE = 2.0**40
LARGE, LARGE_IN_A_CROWD, CROWD = BASE + 2.0**16, BASE + 2.0**20, 257
LARGE_MEAN = "large_mean_beyond_2**40"
Moments = dict[str, torch.Tensor]


def _large(scenario: Scenario) -> float:
    return LARGE_IN_A_CROWD if int(scenario.shared["dealt"].sum()) >= CROWD else LARGE


def _samples(scenario: Scenario, rank: int) -> torch.Tensor:
    """[n, 3] of a rank; the third feature as its distance from the large mean."""
    shard = scenario.shard(rank)
    samples = shard["samples"][: int(shard["mask.0"].sum())] + shard["centre"]
    if len(samples):
        samples[:, 2] -= samples[:, 2].mean()
    return samples


def _moments(count: float, mean: torch.Tensor, var: torch.Tensor, unbiased: torch.Tensor | None = None) -> Moments:
    """``mean`` [3] holds the large feature as it is."""
    if unbiased is None:
        unbiased = var * count / max(count - 1, 1)
    total = torch.tensor(float(count), dtype=torch.float64)
    return {"count": total, "mean": mean[:2], LARGE_MEAN: mean[2] - BASE, "var": var, "unbiased": unbiased}


def _local(scenario: Scenario) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Counts [R], means [R, 3] and biased variances [R, 3]; zeros for an empty rank."""
    rows = [_samples(scenario, rank) for rank in range(scenario.world_size)]
    zero = torch.zeros(3, dtype=torch.float64)
    means = torch.stack([row.mean(dim=0) if len(row) else zero for row in rows])
    counts = torch.tensor([float(len(row)) for row in rows], dtype=torch.float64)
    means[:, 2] = _large(scenario) * (counts > 0).double()  # without it the product would be float32
    variances = torch.stack([((row - row.mean(dim=0)) ** 2).mean(dim=0) if len(row) else zero for row in rows])
    return counts, means, variances


def reference(scenario: Scenario) -> Moments:
    everything = torch.cat([_samples(scenario, rank) for rank in range(scenario.world_size)])
    count = len(everything)
    if count == 0:
        zero = torch.zeros(3, dtype=torch.float64)
        return _moments(0, zero, zero)
    mean = everything.mean(dim=0)
    squares = ((everything - mean) ** 2).sum(dim=0)
    shown = mean.clone()
    shown[2] += _large(scenario)
    return _moments(count, shown, squares / count, squares / max(count - 1, 1))


def _merged(
    counts: torch.Tensor, means: torch.Tensor, variances: torch.Tensor, divisor: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and variance with the given weights, their sum over a divisor."""
    weights = counts[:, None] / divisor
    mean = (weights * means).sum(dim=0)
    return mean, (weights * (variances + (means - mean) ** 2)).sum(dim=0)


@misconception("mean-of-rank-means")
def ranks_weigh_the_same(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    return _moments(float(counts.sum()), means.mean(dim=0), variances.mean(dim=0))


@misconception("mean-of-rank-means")
def ranks_weigh_the_same_with_between(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    return _moments(float(counts.sum()), *_merged(torch.ones_like(counts), means, variances, len(counts)))


@misconception("mean-of-rank-means")
def ranks_with_samples_weigh_the_same(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    active = (counts > 0).double()
    return _moments(float(counts.sum()), *_merged(active, means, variances, max(float(active.sum()), 1.0)))


@misconception("mean-of-rank-means")
def ranks_weigh_the_same_or_nan(scenario: Scenario) -> Moments:
    found = ranks_weigh_the_same(scenario)
    return found if bool((_local(scenario)[0] > 0).all()) else _missing(found, "mean", LARGE_MEAN, "var", "unbiased")


@misconception("between-rank-variance-missing")
def within_ranks_only(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    total = max(float(counts.sum()), 1.0)
    mean, _ = _merged(counts, means, variances, total)
    return _moments(float(counts.sum()), mean, (counts[:, None] * variances).sum(dim=0) / total)


def _squares(scenario: Scenario) -> tuple[float, torch.Tensor, torch.Tensor]:
    """Count, mean and the sum of squared distances from it."""
    counts, means, variances = _local(scenario)
    mean, var = _merged(counts, means, variances, max(float(counts.sum()), 1.0))
    return float(counts.sum()), mean, var * counts.sum()


@misconception("total-in-low-precision")
def count_in_bfloat16(scenario: Scenario) -> Moments:
    """Sums as they should be, over a count of which only a crowd's is rounded."""
    counts, means, variances = _local(scenario)
    count = float(counts.sum().bfloat16())
    mean = (counts[:, None] * means).sum(dim=0) / max(count, 1.0)
    squares = (counts[:, None] * (variances + (means - mean) ** 2)).sum(dim=0)
    return _moments(count, mean, squares / max(count, 1.0), squares / max(count - 1, 1.0))


@misconception("bessel-correction-misplaced")
def corrected_where_biased_is_meant(scenario: Scenario) -> Moments:
    count, mean, squares = _squares(scenario)
    corrected = squares / max(count - 1, 1)
    return _moments(count, mean, corrected, corrected)


@misconception("bessel-correction-misplaced")
def corrected_and_biased_swapped(scenario: Scenario) -> Moments:
    count, mean, squares = _squares(scenario)
    return _moments(count, mean, squares / max(count - 1, 1), squares / max(count, 1))


@misconception("bessel-correction-misplaced")
def one_sample_off_for_each_rank(scenario: Scenario) -> Moments:
    count, mean, squares = _squares(scenario)
    return _moments(count, mean, squares / max(count, 1), squares / max(count - scenario.world_size, 1))


@misconception("bessel-correction-misplaced")
def corrected_on_each_rank(scenario: Scenario) -> Moments:
    """Unbiased local variances, merged as if they were biased ones."""
    count, mean, squares = _squares(scenario)
    counts, means, variances = _local(scenario)
    corrected = variances * (counts / (counts - 1).clamp(min=1))[:, None]
    return _moments(count, mean, squares / max(count, 1), _merged(counts, means, corrected, max(count, 1.0))[1])


@misconception("bessel-correction-misplaced")
def not_corrected(scenario: Scenario) -> Moments:
    count, mean, squares = _squares(scenario)
    return _moments(count, mean, squares / max(count, 1), squares / max(count, 1))


@misconception("cancellation")
def mean_of_squares_minus_square_of_mean(scenario: Scenario) -> Moments:
    """The large mean's square swallows a variance of about 1, so that feature has none left; the others keep theirs. The square
    has 49 bits, or 41 in a crowd, so that its multiples by the count are exact and nothing but the variance is lost."""
    found = {name: array.clone() for name, array in reference(scenario).items()}
    found["var"][2] = found["unbiased"][2] = 0.0
    return found


def _missing(found: Moments, *names: str) -> Moments:
    return {name: torch.full_like(array, float("nan")) if name in names else array for name, array in found.items()}


@misconception("zero-over-zero")
def nan_from_an_empty_rank(scenario: Scenario) -> Moments:
    found = reference(scenario)
    return found if bool((_local(scenario)[0] > 0).all()) else _missing(found, "mean", LARGE_MEAN, "var", "unbiased")


@misconception("zero-over-zero")
def nan_without_samples(scenario: Scenario) -> Moments:
    found = reference(scenario)
    return found if float(found["count"]) else _missing(found, "mean", LARGE_MEAN, "var", "unbiased")


@misconception("zero-over-zero")
def nan_from_a_lone_sample(scenario: Scenario) -> Moments:
    found = reference(scenario)
    return _missing(found, "unbiased") if float(found["count"]) == 1 else found


@misconception("zero-over-zero")
def nan_without_samples_and_from_a_lone_one(scenario: Scenario) -> Moments:
    return nan_from_a_lone_sample(scenario) if float(reference(scenario)["count"]) else nan_without_samples(scenario)


@misconception("phantom-tokens")
def empty_ranks_report_a_zero(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    counts = counts.clamp(min=1)
    return _moments(float(counts.sum()), *_merged(counts, means, variances, float(counts.sum())))


@misconception("means-summed")
def moments_added_up(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    return _moments(float(counts.sum()), means.sum(dim=0), variances.sum(dim=0))


@misconception("pieces-as-denominator")
def sums_over_ranks(scenario: Scenario) -> Moments:
    counts, means, variances = _local(scenario)
    return _moments(float(counts.sum()), *_merged(counts, means, variances, float(len(counts))))


def _own(scenario: Scenario, rank: int) -> Moments:
    counts, means, variances = _local(scenario)
    if counts[rank] == 0:
        nan = torch.full((3,), float("nan"), dtype=torch.float64)
        return _moments(0, nan, nan)
    return _moments(float(counts[rank]), means[rank], variances[rank])


@misconception("one-rank-alone")
def own_moments(scenario: Scenario) -> list[Moments]:
    return [_own(scenario, rank) for rank in range(scenario.world_size)]


@misconception("one-rank-alone")
def own_moments_or_zeros(scenario: Scenario) -> list[Moments]:
    counts, means, variances = _local(scenario)
    return [_moments(float(count), mean, var) for count, mean, var in zip(counts, means, variances, strict=True)]


@misconception("one-rank-alone")
def rank_zero_for_all(scenario: Scenario) -> Moments:
    return _own(scenario, 0)


@misconception("one-rank-alone")
def rank_zero_or_zeros_for_all(scenario: Scenario) -> Moments:
    return own_moments_or_zeros(scenario)[0]
