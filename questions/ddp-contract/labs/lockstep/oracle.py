"""Each step's token mean on one device, and which steps are taken; what each wrong idea makes of uneven, empty and bad steps."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from quizapp_sandbox.contract import Scenario, misconception

BAD_STEP = {1: 0, 3: 2, 4: 2}
INFINITE, ELSEWHERE = 1, 4
Observation = dict[str, torch.Tensor]


class Step(NamedTuple):
    """What all ranks together know of one step."""

    counts: tuple[int, ...]
    """Valid tokens of each rank."""
    bad: frozenset[int]
    """The ranks whose losses aren't finite."""
    infinite: bool = False
    """They are infinite rather than NaN."""

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def taken(self) -> bool:
        """By the rule of the exercise."""
        return self.total > 0 and not self.bad


def _steps(scenario: Scenario) -> list[Step]:
    ranks = range(scenario.world_size)
    found = []
    for index in range(scenario.microbatches):
        counts = tuple(int(scenario.shard(rank)[f"mask.{index}"].sum()) for rank in ranks)
        others = scenario.world_size - 1
        elsewhere = 1 + int(scenario.shared["unlucky"]) % others if scenario.world_size % 2 else others
        places = {ELSEWHERE: (elsewhere,), INFINITE: (0, others)}.get(scenario.microbatches, (0,))
        comes = index == BAD_STEP.get(scenario.microbatches)
        bad = frozenset(rank for rank in places if comes and counts[rank])
        found.append(Step(counts, bad, bool(bad) and scenario.microbatches == INFINITE))
    return found


def _masks(scenario: Scenario) -> list[tuple[int, torch.Tensor]]:
    """Step and mask [positions] float64 of each rank's batches, in the order of ``terms``."""
    return [
        (index, scenario.shard(rank)[f"mask.{index}"].double())
        for rank in range(scenario.world_size)
        for index in range(scenario.microbatches)
    ]


def terms(scenario: Scenario) -> torch.Tensor:
    """Each position's own gradient, of the features as they were before one of them went bad: the features times (probability
    minus target), class by class."""
    places = [(scenario.shard(rank), k) for rank in range(scenario.world_size) for k in range(scenario.microbatches)]
    features = torch.cat([shard[f"features.{k}"] for shard, k in places])
    targets = torch.cat([shard[f"targets.{k}"] for shard, k in places])
    slopes = (features @ scenario.shared["weight"]).softmax(dim=1)
    slopes[torch.arange(len(targets)), targets] -= 1
    return (features[:, :, None] * slopes[:, None, :]).reshape(len(targets), -1)


def wanted(scenario: Scenario) -> torch.Tensor:
    """1/N for the valid tokens of a step that is taken."""
    steps = _steps(scenario)
    share = [1 / step.total if step.taken else 0.0 for step in steps]
    rows = [torch.cat([mask * share[of] * (of == index) for of, mask in _masks(scenario)]) for index in range(len(steps))]
    return torch.stack(rows)


def reference(scenario: Scenario) -> Observation:
    """One backward on the plain token mean for each step that is taken."""
    rows = []
    for index, step in enumerate(_steps(scenario)):
        weight = scenario.shared["weight"].clone().requires_grad_()
        if step.taken:
            shards = [scenario.shard(rank) for rank in range(scenario.world_size)]
            keep = torch.cat([shard[f"mask.{index}"] for shard in shards]).bool()
            features = torch.cat([shard[f"features.{index}"] for shard in shards])[keep]
            targets = torch.cat([shard[f"targets.{index}"] for shard in shards])[keep]
            cross_entropy(features @ weight, targets).backward()
        rows.append(torch.zeros_like(weight) if weight.grad is None else weight.grad)
    return {"gradients": torch.stack(rows).reshape(len(rows), -1), "stepped": _taken([s.taken for s in _steps(scenario)])}


_known: list[tuple[Scenario, list[torch.Tensor]]] = []


def _sums(scenario: Scenario) -> list[torch.Tensor]:
    """For each rank the gradients [steps, P] of its loss sums over valid tokens; asked for by all predictions in a row."""
    if not _known or _known[0][0] is not scenario:
        _known[:] = [(scenario, _summed(scenario))]
    return _known[0][1]


def _summed(scenario: Scenario) -> list[torch.Tensor]:
    masks = [mask for _, mask in _masks(scenario)]
    parts = terms(scenario).split([len(mask) for mask in masks])
    summed = torch.stack([mask @ rows for mask, rows in zip(masks, parts, strict=True)])
    return list(summed.reshape(scenario.world_size, scenario.microbatches, -1))


def _taken(steps: Sequence[bool]) -> torch.Tensor:
    return torch.tensor(steps, dtype=torch.int64)


def _foretold(
    scenario: Scenario,
    weight: Callable[[Step, int], float] = lambda step, rank: 1 / step.total,
    taken: Callable[[Step], bool] = lambda step: step.taken,
) -> Observation:
    """What all ranks end with where a token of ``rank`` has that weight in a step that is taken. A step that is taken although
    a rank's loss is bad is NaN throughout."""
    steps, sums = _steps(scenario), _sums(scenario)
    gradients = torch.zeros_like(sums[0])
    for index, step in enumerate(steps):
        for rank, count in enumerate(step.counts):
            if count and taken(step):
                gradients[index] += weight(step, rank) * sums[rank][index]
    for index, step in enumerate(steps):
        if taken(step) and step.bad:
            gradients[index] = float("nan")
    return {"gradients": gradients, "stepped": _taken([taken(step) for step in steps])}


@misconception("rank-left-out")
def empty_ranks_run_ahead(scenario: Scenario) -> list[Observation] | Observation:
    """A rank goes through the protocol only in steps for which it has tokens. Its first one is paired with the others' first, and
    so on: the steps are mixed without a word, and if the ranks have different numbers of them, some wait for ever."""
    steps, ranks = _steps(scenario), range(scenario.world_size)
    own = [[index for index, step in enumerate(steps) if step.counts[rank]] for rank in ranks]
    if len(set(map(len, own))) > 1:
        return {}
    found = [_foretold(scenario, taken=lambda step: False) for _ in ranks]
    sums = _sums(scenario)
    for turn in range(len(own[0])):
        paired = [row[turn] for row in own]
        if any(rank in steps[index].bad for rank, index in enumerate(paired)):
            continue
        total = sum(steps[index].counts[rank] for rank, index in enumerate(paired))
        gradient = sum(sums[rank][index] for rank, index in enumerate(paired)) / total
        for rank, index in enumerate(paired):
            found[rank]["gradients"][index] = gradient
            found[rank]["stepped"][index] = 1
    return found


@misconception("rank-left-out")
def empty_ranks_miss_the_backward(scenario: Scenario) -> Observation:
    """They join the count, and so the others wait in backward as soon as one rank is empty in a step that is taken."""
    return {} if any(step.taken and min(step.counts) == 0 for step in _steps(scenario)) else reference(scenario)


@misconception("ranks-stop-apart")
def own_loss_decides(scenario: Scenario) -> list[Observation]:
    """The bad loss is averaged into every gradient; its own rank skips the step, the others take it."""
    found = []
    for rank in range(scenario.world_size):
        found.append(_foretold(scenario, taken=lambda step, rank=rank: step.total > 0 and rank not in step.bad))
    return found


@misconception("ranks-stop-apart")
def own_loss_decides_before_the_backward(scenario: Scenario) -> Observation:
    """The others wait in the backward that the rank with the bad loss never enters."""
    return {} if any(0 < len(step.bad) < scenario.world_size for step in _steps(scenario)) else reference(scenario)


@misconception("one-rank-decides")
def rank_zero_decides(scenario: Scenario) -> Observation:
    return _foretold(scenario, taken=lambda step: step.total > 0 and 0 not in step.bad)


@misconception("one-rank-decides")
def last_rank_decides(scenario: Scenario) -> Observation:
    return _foretold(scenario, taken=lambda step: step.total > 0 and scenario.world_size - 1 not in step.bad)


@misconception("non-finite-step")
def nobody_checks(scenario: Scenario) -> Observation:
    return _foretold(scenario, taken=lambda step: step.total > 0)


@misconception("non-finite-step")
def looks_for_nan_alone(scenario: Scenario) -> Observation:
    return _foretold(scenario, taken=lambda step: step.total > 0 and (not step.bad or step.infinite))


@misconception("skipped-gradient-kept")
def never_again(scenario: Scenario) -> Observation:
    """NaN stays in ``.grad``; added to, it stays NaN, and every later step is skipped for it."""
    found = _foretold(scenario)
    bad = [index for index, step in enumerate(_steps(scenario)) if step.bad]
    for index in range(bad[0], scenario.microbatches) if bad else ():
        found["gradients"][index] = 0
        found["stepped"][index] = 0
    return found


@misconception("step-on-nothing")
def zero_gradient_applied(scenario: Scenario) -> Observation:
    return _foretold(scenario, taken=lambda step: not step.bad)


@misconception("step-lost-to-an-empty-rank")
def all_or_nothing(scenario: Scenario) -> Observation:
    return _foretold(scenario, taken=lambda step: step.taken and min(step.counts) > 0)


@misconception("mean-of-rank-means")
def own_denominators(scenario: Scenario) -> Observation:
    return _foretold(scenario, weight=lambda step, rank: 1 / (len(step.counts) * step.counts[rank]))


@misconception("mean-over-active-ranks")
def active_denominators(scenario: Scenario) -> Observation:
    def weight(step: Step, rank: int) -> float:
        return 1 / (sum(count > 0 for count in step.counts) * step.counts[rank])

    return _foretold(scenario, weight)


@misconception("forgot-world-size-factor")
def averaged_again(scenario: Scenario) -> Observation:
    return _foretold(scenario, weight=lambda step, rank: 1 / (len(step.counts) * step.total))


@misconception("total-in-low-precision")
def count_in_bfloat16(scenario: Scenario) -> Observation:
    """Only a crowd has a count that bfloat16 rounds, whatever is added to what first."""
    return _foretold(scenario, weight=lambda step, rank: 1 / float(torch.tensor(step.total, dtype=torch.bfloat16)))


@misconception("zero-over-zero")
def nan_where_nothing_is(scenario: Scenario) -> Observation:
    found = zero_gradient_applied(scenario)
    for index, step in enumerate(_steps(scenario)):
        if step.total == 0:
            found["gradients"][index] = float("nan")
    return found
