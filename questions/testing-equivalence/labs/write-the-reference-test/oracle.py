"""Which steps are right, and which of them tests with a gap let through."""

from collections.abc import Collection

import torch

from quizapp_sandbox.contract import Scenario, misconception

Arrays = dict[str, torch.Tensor]
FLOAT32 = "factor in float32"
RIGHT = ("factor R/N", "divided after the reduction", FLOAT32, "everything gathered")
RANK_MEANS, PADDING_SUMMED, PADDING_COUNTED = "mean of rank means", "padding in the sum", "padding in the count"
NO_FACTOR, FACTOR_2, LAST_ALONE = "factor R missing", "factor 2 for every R", "last rank not reduced"
ONE_MORE, ONE_EACH, LATE_GUARD = "one token too many", "one token for each empty rank", "guard after the division by R"
NAN_RANK, NAN_STEP = "NaN on an empty rank", "NaN on an empty step"
GROUPS = {
    "passes right steps": RIGHT,
    "passes wrong averages": (RANK_MEANS, PADDING_SUMMED, PADDING_COUNTED),
    "passes wrong factors": (NO_FACTOR, FACTOR_2, LAST_ALONE),
    "passes wrong edges": (ONE_MORE, ONE_EACH, LATE_GUARD, NAN_RANK, NAN_STEP),
}
EVERY = frozenset(name for names in GROUPS.values() for name in names)


def _right(scenario: Scenario) -> set[str]:
    """On two ranks, the step with a hard-coded 2 is right, and no test can tell."""
    return {*RIGHT, *((FACTOR_2,) if scenario.world_size == 2 else ())}


def _verdicts(accepted: Collection[str]) -> Arrays:
    return {group: torch.tensor([int(name in accepted) for name in names]) for group, names in GROUPS.items()}


def _lets_through(scenario: Scenario, *more: str) -> Arrays:
    return _verdicts({*_right(scenario), *more})


def reference(scenario: Scenario) -> Arrays:
    return _verdicts(_right(scenario))


@misconception("tests-even-counts-only")
def even_counts(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, RANK_MEANS, ONE_EACH, LATE_GUARD, NAN_RANK, NAN_STEP)


@misconception("tests-even-counts-only")
def even_counts_and_an_empty_step(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, RANK_MEANS, ONE_EACH, LATE_GUARD)


@misconception("tests-even-counts-only")
def even_counts_without_padding(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, RANK_MEANS, PADDING_SUMMED, PADDING_COUNTED, ONE_EACH, LATE_GUARD, NAN_RANK, NAN_STEP)


@misconception("no-empty-rank-in-the-test")
def no_empty_rank(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, ONE_EACH, LATE_GUARD, NAN_RANK, NAN_STEP)


@misconception("no-empty-rank-in-the-test")
def no_empty_rank_but_an_empty_step(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, ONE_EACH, LATE_GUARD)


@misconception("no-empty-step-in-the-test")
def no_empty_step(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, NAN_STEP)


@misconception("no-empty-step-in-the-test")
def no_empty_and_no_sparse_step(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, NAN_STEP, LATE_GUARD)


@misconception("no-sparse-step-in-the-test")
def no_sparse_step(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, LATE_GUARD)


@misconception("test-without-padding")
def no_padding(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, PADDING_SUMMED, PADDING_COUNTED, ONE_EACH, LATE_GUARD, NAN_RANK, NAN_STEP)


@misconception("compares-losses")
def losses(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, NO_FACTOR, FACTOR_2, LATE_GUARD, LAST_ALONE)


@misconception("compares-directions")
def directions(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, NO_FACTOR, FACTOR_2, PADDING_COUNTED, ONE_MORE, ONE_EACH, LATE_GUARD)


@misconception("agreement-taken-for-correctness")
def agreement(scenario: Scenario) -> Arrays:
    return _verdicts(EVERY - {LAST_ALONE, NAN_RANK, NAN_STEP})


@misconception("agreement-taken-for-correctness")
def agreement_without_empty_steps(scenario: Scenario) -> Arrays:
    return _verdicts(EVERY - {LAST_ALONE})


@misconception("looks-at-one-rank")
def first_rank_tells_the_others(scenario: Scenario) -> Arrays:
    return _lets_through(scenario, LAST_ALONE)


@misconception("looks-at-one-rank")
def every_rank_for_itself(scenario: Scenario) -> list[Arrays]:
    last = scenario.world_size - 1
    return [_lets_through(scenario, *((LAST_ALONE,) if rank != last else ())) for rank in range(scenario.world_size)]


@misconception("tolerance-too-wide")
def everything_finite(scenario: Scenario) -> Arrays:
    return _verdicts(EVERY - {NAN_RANK, NAN_STEP})


@misconception("tolerance-too-tight")
def float32_refused(scenario: Scenario) -> Arrays:
    return _verdicts(_right(scenario) - {FLOAT32})


@misconception("mean-of-rank-means")
def reference_of_rank_means(scenario: Scenario) -> Arrays:
    return _verdicts({RANK_MEANS})


@misconception("constant-verdict")
def everything_passes(scenario: Scenario) -> Arrays:
    return _verdicts(EVERY)


@misconception("constant-verdict")
def nothing_passes(scenario: Scenario) -> Arrays:
    return _verdicts(())
