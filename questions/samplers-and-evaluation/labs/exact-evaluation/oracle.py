"""The figures of the whole data set, each sample once, and what each wrong idea makes of the samples that were dealt out."""

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch

from quizapp_sandbox.contract import Scenario, misconception

Figures = dict[str, torch.Tensor]


class Slot(NamedTuple):
    rank: int
    batch: int
    index: int


class Sums(NamedTuple):
    """Over some slots, each with its weight."""

    loss: float
    tokens: float
    correct: float
    samples: float

    @property
    def mean_loss(self) -> float:
        return self.loss / self.tokens if self.tokens else 0.0

    @property
    def accuracy(self) -> float:
        return self.correct / self.samples if self.samples else 0.0


def _length(scenario: Scenario) -> int:
    return int(scenario.shared["dealt"].sum())


def _slots(scenario: Scenario) -> list[Slot]:
    """Every slot that some rank really gets, as the loader fills them."""
    fresh = repeats = 0
    found = []
    length = _length(scenario)
    for rank in range(scenario.world_size):
        shard = scenario.shard(rank)
        served = int(scenario.shared["dealt"][rank].sum()) > 0
        for batch in range(scenario.microbatches):
            for valid in shard[f"mask.{batch}"].tolist():
                index = fresh if valid else repeats % max(length, 1)
                fresh, repeats = fresh + valid, repeats + 1 - valid
                if served:
                    found.append(Slot(rank, batch, index))
    return found


def _sums(scenario: Scenario, slots: Iterable[Slot], weight: Callable[[Slot], float] = lambda slot: 1.0) -> Sums:
    tables = {name: scenario.shared[name].tolist() for name in ("token_loss", "tokens", "correct")}
    loss = tokens = correct = samples = 0.0
    for slot in slots:
        share, its = weight(slot), tables["tokens"][slot.index]
        loss += share * tables["token_loss"][slot.index] * its
        tokens += share * its
        correct += share * tables["correct"][slot.index]
        samples += share
    return Sums(loss, tokens, correct, samples)


def _once(scenario: Scenario) -> Callable[[Slot], float]:
    """The weight with which all copies of a sample count once together."""
    copies: dict[int, int] = {}
    for slot in _slots(scenario):
        copies[slot.index] = copies.get(slot.index, 0) + 1
    return lambda slot: 1 / copies[slot.index]


def _whole(scenario: Scenario) -> Sums:
    return _sums(scenario, [Slot(0, 0, index) for index in range(_length(scenario))])


def _figures(loss: float, accuracy: float, perplexity: float | None = None) -> Figures:
    shown = {"loss": loss, "perplexity": math.exp(loss) if perplexity is None else perplexity, "accuracy": accuracy}
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in shown.items()}


def _by(scenario: Scenario, key: Callable[[Slot], object]) -> list[list[Slot]]:
    groups: dict[object, list[Slot]] = {}
    for slot in _slots(scenario):
        groups.setdefault(key(slot), []).append(slot)
    return list(groups.values())


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _per_rank(scenario: Scenario) -> list[Sums]:
    once, slots = _once(scenario), _slots(scenario)
    return [_sums(scenario, [slot for slot in slots if slot.rank == rank], once) for rank in range(scenario.world_size)]


def reference(scenario: Scenario) -> Figures:
    whole = _whole(scenario)
    return _figures(whole.mean_loss, whole.accuracy)


@misconception("repeats-are-new-data")
def every_slot_counts(scenario: Scenario) -> Figures:
    seen = _sums(scenario, _slots(scenario))
    return _figures(seen.mean_loss, seen.accuracy)


@misconception("repeats-are-new-data")
def repeats_in_the_numerators(scenario: Scenario) -> Figures:
    """The sums hold repeats; the number of samples is the data set's."""
    seen, length = _sums(scenario, _slots(scenario)), _length(scenario)
    return _figures(seen.mean_loss, seen.correct / length if length else 0.0)


@misconception("repeats-sought-on-one-rank")
def distinct_on_each_rank(scenario: Scenario) -> Figures:
    kept = list({(slot.rank, slot.index): slot for slot in _slots(scenario)}.values())
    seen = _sums(scenario, kept)
    return _figures(seen.mean_loss, seen.accuracy)


@misconception("repeats-sought-on-one-rank")
def distinct_on_each_rank_in_the_numerators(scenario: Scenario) -> Figures:
    """Tables filled by index on each rank and added up; the number of samples is the data set's."""
    seen = _sums(scenario, {(slot.rank, slot.index): slot for slot in _slots(scenario)}.values())
    length = _length(scenario)
    return _figures(seen.mean_loss, seen.correct / length if length else 0.0)


def _without_last_batches(scenario: Scenario) -> list[Slot]:
    return [slot for slot in _slots(scenario) if slot.batch < scenario.microbatches - 1]


@misconception("tail-left-out")
def last_batches_dropped(scenario: Scenario) -> Figures:
    seen = _sums(scenario, _without_last_batches(scenario), _once(scenario))
    return _figures(seen.mean_loss, seen.accuracy)


@misconception("tail-left-out")
def last_batches_dropped_then_once(scenario: Scenario) -> Figures:
    """Copies are only told from each other among what is left."""
    seen = _sums(scenario, {slot.index: slot for slot in _without_last_batches(scenario)}.values())
    return _figures(seen.mean_loss, seen.accuracy)


@misconception("mean-of-batch-means")
def mean_of_batch_means(scenario: Scenario) -> Figures:
    once = _once(scenario)
    batches = [_sums(scenario, slots, once) for slots in _by(scenario, lambda slot: (slot.rank, slot.batch))]
    return _figures(_mean([one.mean_loss for one in batches]), _mean([one.accuracy for one in batches]))


@misconception("mean-of-batch-means")
def mean_of_batch_means_with_repeats(scenario: Scenario) -> Figures:
    batches = [_sums(scenario, slots) for slots in _by(scenario, lambda slot: (slot.rank, slot.batch))]
    return _figures(_mean([one.mean_loss for one in batches]), _mean([one.accuracy for one in batches]))


@misconception("mean-of-exponentials")
def mean_of_batch_perplexities(scenario: Scenario) -> Figures:
    once, whole = _once(scenario), _whole(scenario)
    batches = [_sums(scenario, slots, once) for slots in _by(scenario, lambda slot: (slot.rank, slot.batch))]
    return _figures(whole.mean_loss, whole.accuracy, _mean([math.exp(one.mean_loss) for one in batches]) if batches else 1.0)


@misconception("mean-of-exponentials")
def mean_of_rank_perplexities(scenario: Scenario) -> Figures:
    whole = _whole(scenario)
    perplexity = _mean([math.exp(one.mean_loss) for one in _per_rank(scenario)])
    return _figures(whole.mean_loss, whole.accuracy, perplexity)


@misconception("mean-of-exponentials")
def token_weighted_mean_of_perplexities(scenario: Scenario) -> Figures:
    """The mean of exp(sample's mean loss), with tokens as weights."""
    whole, losses, tokens = _whole(scenario), scenario.shared["token_loss"].tolist(), scenario.shared["tokens"].tolist()
    samples = range(_length(scenario))
    summed = sum(tokens[index] * math.exp(losses[index]) for index in samples)
    return _figures(whole.mean_loss, whole.accuracy, summed / whole.tokens if whole.tokens else 1.0)


@misconception("mean-of-exponentials")
def mean_of_sample_perplexities(scenario: Scenario) -> Figures:
    whole, losses = _whole(scenario), scenario.shared["token_loss"].tolist()[: _length(scenario)]
    return _figures(whole.mean_loss, whole.accuracy, _mean([math.exp(loss) for loss in losses]) if losses else 1.0)


@misconception("mean-of-rank-means")
def mean_of_rank_means(scenario: Scenario) -> Figures:
    ranks = _per_rank(scenario)
    return _figures(_mean([one.mean_loss for one in ranks]), _mean([one.accuracy for one in ranks]))


@misconception("mean-of-rank-means")
def mean_of_rank_means_or_nan(scenario: Scenario) -> Figures:
    """A rank without samples divides 0 by 0."""
    nan = float("nan")
    return mean_of_rank_means(scenario) if all(one.samples for one in _per_rank(scenario)) else _figures(nan, nan)


@misconception("ratio-metric-averaged")
def accuracy_averaged_over_ranks(scenario: Scenario) -> Figures:
    return _figures(_whole(scenario).mean_loss, _mean([one.accuracy for one in _per_rank(scenario)]))


@misconception("ratio-metric-averaged")
def accuracy_averaged_over_ranks_with_samples(scenario: Scenario) -> Figures:
    accuracies = [one.accuracy for one in _per_rank(scenario) if one.samples]
    return _figures(_whole(scenario).mean_loss, _mean(accuracies))


@misconception("training-factor-in-evaluation")
def loss_times_ranks(scenario: Scenario) -> Figures:
    whole = _whole(scenario)
    return _figures(scenario.world_size * whole.mean_loss, whole.accuracy)


@misconception("training-factor-in-evaluation")
def loss_over_ranks(scenario: Scenario) -> Figures:
    """An average over ranks of what is a global mean already."""
    whole = _whole(scenario)
    return _figures(whole.mean_loss / scenario.world_size, whole.accuracy)


@misconception("pieces-as-denominator")
def loss_per_sample(scenario: Scenario) -> Figures:
    whole = _whole(scenario)
    return _figures(whole.loss / whole.samples if whole.samples else 0.0, whole.accuracy)


@misconception("one-rank-alone")
def own_shard(scenario: Scenario) -> list[Figures]:
    slots = _slots(scenario)
    shards = [{slot.index: slot for slot in slots if slot.rank == rank}.values() for rank in range(scenario.world_size)]
    return [_figures(own.mean_loss, own.accuracy) for own in (_sums(scenario, shard) for shard in shards)]


@misconception("one-rank-alone")
def rank_zero_for_all(scenario: Scenario) -> Figures:
    return own_shard(scenario)[0]


@misconception("total-in-low-precision")
def counts_in_bfloat16(scenario: Scenario) -> Figures:
    whole = _whole(scenario)
    tokens, correct, samples = torch.tensor([whole.tokens, whole.correct, whole.samples], dtype=torch.bfloat16).tolist()
    return _figures(whole.loss / tokens if tokens else 0.0, correct / samples if samples else 0.0)


@misconception("zero-over-zero")
def nan_where_nothing_is(scenario: Scenario) -> Figures:
    return reference(scenario) if _length(scenario) else _figures(float("nan"), float("nan"))
