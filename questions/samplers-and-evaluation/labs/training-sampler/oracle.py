"""The plan of every rank by PyTorch's own sampler, with the record counted from it; and the plans of wrong ideas."""

from collections import Counter
from collections.abc import Callable, Sequence

import torch
from torch.utils.data.distributed import DistributedSampler

from quizapp_sandbox.contract import Scenario, misconception

Plan = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""A rank's indices, and its record of repeated and dropped ones."""
Plans = list[dict[str, torch.Tensor]]


def _length(scenario: Scenario) -> int:
    return int(scenario.shared["dealt"].sum())


def _each(scenario: Scenario, plan: Callable[[int, bool, int], Plan]) -> Plans:
    """What every rank ends with, where ``plan(epoch, drop_last, rank)`` is what it makes of one call."""
    later = int(scenario.shared["epoch"])
    width = _length(scenario) + scenario.world_size
    found = []
    for rank in range(scenario.world_size):
        calls = [plan(epoch, drop_last, rank) for epoch in (0, later, later + 1) for drop_last in (False, True)]
        padded = [[[*listed, *[-1] * (width - len(listed))] for listed in call] for call in calls]
        columns = {name: [call[index] for call in padded] for index, name in enumerate(("indices", "repeated", "dropped"))}
        found.append({name: torch.tensor(rows, dtype=torch.int64) for name, rows in columns.items()})
    return found


def _order(scenario: Scenario, seed: int) -> list[int]:
    return list(torch.randperm(_length(scenario), generator=torch.Generator().manual_seed(seed)).tolist())


def _seed(scenario: Scenario) -> int:
    return int(scenario.shared["seed"])


def _dealt(order: Sequence[int], drop_last: bool, ranks: int) -> tuple[list[int], list[int], list[int]]:
    """An order made to divide, and what that repeated and dropped."""
    short = len(order) % ranks
    if drop_last or not short:
        kept = len(order) - short
        return list(order[:kept]), [], sorted(order[kept:])
    extra = [order[index % len(order)] for index in range(ranks - short)]
    return [*order, *extra], sorted(extra), []


def _from_order(scenario: Scenario, order: Callable[[int, int], Sequence[int]]) -> Plans:
    """The right rule, on ``order(epoch, rank)``."""

    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        slots, repeated, dropped = _dealt(order(epoch, rank), drop_last, scenario.world_size)
        return slots[rank :: scenario.world_size], repeated, dropped

    return _each(scenario, plan)


def _right(scenario: Scenario, epoch: int, drop_last: bool) -> tuple[list[int], list[int], list[int]]:
    return _dealt(_order(scenario, _seed(scenario) + epoch), drop_last, scenario.world_size)


def reference(scenario: Scenario) -> Plans:
    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        shards = []
        for other in range(scenario.world_size):
            sampler = DistributedSampler(
                range(_length(scenario)), scenario.world_size, other, shuffle=True, seed=_seed(scenario), drop_last=drop_last
            )
            sampler.set_epoch(epoch)
            shards.append(list(sampler))
        seen = Counter(index for shard in shards for index in shard)
        repeated = sorted((seen - Counter(seen.keys())).elements())
        return shards[rank], repeated, [index for index in range(_length(scenario)) if index not in seen]

    return _each(scenario, plan)


@misconception("epoch-not-set")
def same_order_always(scenario: Scenario) -> Plans:
    return _from_order(scenario, lambda epoch, rank: _order(scenario, _seed(scenario)))


@misconception("epoch-set-late")
def order_of_the_epoch_before(scenario: Scenario) -> Plans:
    return _from_order(scenario, lambda epoch, rank: _order(scenario, _seed(scenario) + max(epoch - 1, 0)))


@misconception("never-shuffled")
def order_of_the_data_set(scenario: Scenario) -> Plans:
    return _from_order(scenario, lambda epoch, rank: range(_length(scenario)))


@misconception("shuffle-differs-by-rank")
def rank_in_the_seed(scenario: Scenario) -> Plans:
    return _from_order(scenario, lambda epoch, rank: _order(scenario, _seed(scenario) + epoch + rank))


@misconception("every-rank-all-data")
def no_split(scenario: Scenario) -> Plans:
    return _each(scenario, lambda epoch, drop_last, rank: (_order(scenario, _seed(scenario) + epoch), [], []))


@misconception("overlapping-shards")
def shards_of_a_node(scenario: Scenario) -> Plans:
    """Two shards, whatever the number of ranks: ranks with equal places on their nodes get the same one."""

    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        slots, repeated, dropped = _dealt(_order(scenario, _seed(scenario) + epoch), drop_last, 2)
        return slots[rank % 2 :: 2], repeated, dropped

    return _each(scenario, plan)


@misconception("ranks-stop-apart")
def nothing_evened_out(scenario: Scenario) -> Plans:
    """Unequal shards, where padding was asked for."""

    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        if drop_last:
            slots, repeated, dropped = _right(scenario, epoch, True)
            return slots[rank :: scenario.world_size], repeated, dropped
        return _order(scenario, _seed(scenario) + epoch)[rank :: scenario.world_size], [], []

    return _each(scenario, plan)


@misconception("ranks-stop-apart")
def padded_once(scenario: Scenario) -> Plans:
    """The order is repeated at most once, which isn't enough where there are more ranks than twice the examples."""

    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        slots, repeated, dropped = _right(scenario, epoch, drop_last)
        longest = 2 * _length(scenario)
        return slots[:longest][rank :: scenario.world_size], repeated[: longest - _length(scenario)], dropped

    return _each(scenario, plan)


def _recorded(
    scenario: Scenario, record: Callable[[list[int], list[int], list[int]], tuple[Sequence[int], Sequence[int]]]
) -> Plans:
    """Right shards with the record that ``record(shard, repeated, dropped)`` makes."""

    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        slots, repeated, dropped = _right(scenario, epoch, drop_last)
        shard = slots[rank :: scenario.world_size]
        return (shard, *record(shard, repeated, dropped))

    return _each(scenario, plan)


@misconception("repeats-are-new-data")
def repeats_unrecorded(scenario: Scenario) -> Plans:
    return _recorded(scenario, lambda shard, repeated, dropped: ([], dropped))


@misconception("tail-left-out")
def dropped_unrecorded(scenario: Scenario) -> Plans:
    return _recorded(scenario, lambda shard, repeated, dropped: (repeated, []))


@misconception("tail-left-out")
def always_dropped(scenario: Scenario) -> Plans:
    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        slots, repeated, dropped = _right(scenario, epoch, True)
        return slots[rank :: scenario.world_size], repeated, dropped

    return _each(scenario, plan)


@misconception("tail-left-out")
def always_dropped_and_unrecorded(scenario: Scenario) -> Plans:
    def plan(epoch: int, drop_last: bool, rank: int) -> Plan:
        return _right(scenario, epoch, True)[0][rank :: scenario.world_size], [], []

    return _each(scenario, plan)


@misconception("one-rank-alone")
def record_of_the_own_shard(scenario: Scenario) -> Plans:
    def record(shard: list[int], repeated: list[int], dropped: list[int]) -> tuple[Sequence[int], Sequence[int]]:
        twice = sorted((Counter(shard) - Counter(set(shard))).elements())
        return twice, [index for index in range(_length(scenario)) if index not in shard]

    return _recorded(scenario, record)
