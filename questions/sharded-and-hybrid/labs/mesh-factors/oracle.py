"""The factor, found by asking what is left of one token after the reduction; and what wrong ideas make of it."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from quizapp_sandbox.contract import Scenario, misconception

Arrays = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Question:
    """One mesh, kind of parameter and way of reduction, as one rank sees it."""

    dp: int
    cp: int
    tp: int
    ep: int
    kind: str
    reduction: str
    rank: int
    counts: tuple[int, ...]
    """Valid tokens of each rank as it was told, [R]; tensor-parallel ranks have those of the first of them."""

    @property
    def tokens(self) -> int:
        """Valid tokens, each once."""
        return sum(self.counts[:: self.tp])

    @property
    def own(self) -> int:
        return self.counts[self.rank]

    @property
    def data(self) -> int:
        """Ranks with tokens of their own."""
        return self.dp * self.cp


def _meshes(size: int) -> list[tuple[int, int, int, int]]:
    plain = [(dp, cp, size // (dp * cp), 1) for dp in range(1, size + 1) for cp in range(1, size + 1) if size % (dp * cp) == 0]
    return plain + [(size, 1, 1, size)] + ([(4, 1, 1, 2), (2, 2, 1, 2), (2, 2, 1, 4), (2, 1, 2, 2)] if size == 4 else [])


def _observed(scenario: Scenario, rule: Callable[[Question], float]) -> Arrays | list[Arrays]:
    held = [int(scenario.shard(rank)["mask.0"].sum()) for rank in range(scenario.world_size)]
    found = []
    for rank in range(scenario.world_size):
        own: Arrays = {}
        for dp, cp, tp, ep in _meshes(scenario.world_size):
            counts = tuple(held[other - other % tp] for other in range(scenario.world_size))
            kinds = [("dense", "mean"), ("expert", "mean")] + ([("dense", "sum-over-context")] if cp > 1 else [])
            axes = {"dp": dp, "cp": cp, "tp": tp, "ep": ep}
            factors = [float(rule(Question(dp, cp, tp, ep, kind, reduction, rank, counts))) for kind, reduction in kinds]
            own[" ".join(f"{axis}={n}" for axis, n in axes.items() if n > 1)] = torch.tensor(factors, dtype=torch.float64)
        found.append(own)
    same = all(torch.equal(factors, found[0][mesh]) for own in found for mesh, factors in own.items())
    return found[0] if same else found


def _over(top: float, bottom: float) -> float:
    return top / bottom if bottom else 0.0


def reference(scenario: Scenario) -> Arrays | list[Arrays]:
    """A token's gradient is 1 on one rank (or, for an expert, on the one rank of its expert group that has the expert) and 0 on
    the others that share the parameter. Whatever the reduction leaves of it must be multiplied to 1/N."""

    def rule(question: Question) -> float:
        sharing = question.data // question.ep if question.kind == "expert" else question.data
        contributions = torch.zeros(sharing, dtype=torch.float64)
        contributions[0] = 1
        divisor = question.dp if question.reduction == "sum-over-context" else sharing
        left = contributions.sum() / divisor
        return _over(1.0, question.tokens) / float(left)

    return _observed(scenario, rule)


def _divisor(question: Question) -> float:
    """What the reduction divides by."""
    if question.kind == "expert":
        return question.data / question.ep
    return question.dp if question.reduction == "sum-over-context" else question.data


@misconception("context-factor-missing")
def only_data_ranks(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        return _over(question.dp if question.kind == "dense" else _divisor(question), question.tokens)

    return _observed(scenario, rule)


@misconception("context-factor-missing")
def only_data_ranks_for_experts_too(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        return _over(question.dp if question.kind == "dense" else question.dp / question.ep, question.tokens)

    return _observed(scenario, rule)


@misconception("context-factor-doubled")
def always_all_slices(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        return _over(question.data if question.kind == "dense" else _divisor(question), question.tokens)

    return _observed(scenario, rule)


@misconception("experts-averaged-like-dense")
def dense_factor_for_experts(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        return _over(question.data if question.kind == "expert" else _divisor(question), question.tokens)

    return _observed(scenario, rule)


@misconception("expert-factor-upside-down")
def experts_multiplied(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        return _over(question.data * question.ep if question.kind == "expert" else _divisor(question), question.tokens)

    return _observed(scenario, rule)


@misconception("world-size-for-data-size")
def all_ranks_are_data(scenario: Scenario) -> Arrays | list[Arrays]:
    return _observed(scenario, lambda question: _over(_divisor(question) * question.tp, question.tokens))


@misconception("tensor-ranks-counted")
def tokens_of_all_ranks(scenario: Scenario) -> Arrays | list[Arrays]:
    return _observed(scenario, lambda question: _over(_divisor(question), sum(question.counts)))


@misconception("context-slices-not-counted")
def tokens_of_data_group(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        mine = question.rank // question.tp % question.cp
        counted = question.counts[:: question.tp][mine :: question.cp]
        return _over(_divisor(question), sum(counted))

    return _observed(scenario, rule)


@misconception("mean-of-rank-means")
def own_tokens(scenario: Scenario) -> Arrays | list[Arrays]:
    return _observed(scenario, lambda question: _over(1, question.own))


@misconception("forgot-world-size-factor")
def count_alone(scenario: Scenario) -> Arrays | list[Arrays]:
    return _observed(scenario, lambda question: _over(1, question.tokens))


@misconception("total-in-low-precision")
def count_in_bfloat16(scenario: Scenario) -> Arrays | list[Arrays]:
    def rule(question: Question) -> float:
        return _over(_divisor(question), float(torch.tensor(question.tokens, dtype=torch.bfloat16)))

    return _observed(scenario, rule)
