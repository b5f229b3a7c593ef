"""Tokens whose weights nothing tells apart, put together: for pictures of many tokens. Pure; no numpy."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quizapp.model.figures import in_a_row
from quizapp.model.verdict import TokenWeight

SAME = 1e-6
"""Weights closer than this, relative to the largest one, are shown as the same."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Tokens of one rank that want and get the same weight in one step."""

    rank: int
    microbatch: int
    """The first that has some of them."""
    valid: bool
    wanted: float
    given: float | None
    tokens: int
    step: int = 0
    also: tuple[int, ...] = ()
    """Further microbatches that have some."""


def alike(weights: Sequence[TokenWeight]) -> list[Alike]:
    """Tokens put together where nothing tells them apart, in the order of steps, ranks and microbatches; valid ones first."""
    largest = scale(weights)
    found: dict[tuple[int, int, bool], list[list[TokenWeight]]] = {}
    for weight in sorted(weights, key=lambda w: (w.step, w.rank, w.microbatch, not w.valid, w.token)):
        groups = found.setdefault((weight.step, weight.rank, weight.valid), [])
        for group in groups:
            if same(group[0].wanted, weight.wanted, largest) and same(group[0].given, weight.given, largest):
                group.append(weight)
                break
        else:
            groups.append([weight])
    put = sorted(
        (g for groups in found.values() for g in groups), key=lambda g: (g[0].step, g[0].rank, g[0].microbatch, not g[0].valid)
    )
    return [
        Alike(
            g[0].rank, g[0].microbatch, g[0].valid, g[0].wanted, g[0].given, len(g), g[0].step,
            tuple(sorted({w.microbatch for w in g} - {g[0].microbatch})),
        )
        for g in put
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class InName:
    """What the name of a token must tell besides its rank."""

    microbatch: bool
    step: bool


def in_names(weights: Iterable[TokenWeight | Alike]) -> InName:
    """The step where there are several, the microbatch where a rank has several in a step and they aren't put together."""
    steps: dict[tuple[int, int], set[int]] = {}
    for weight in weights:
        steps.setdefault((weight.step, weight.rank), set()).add(weight.microbatch)
    return InName(any(len(microbatches) > 1 for microbatches in steps.values()), len({step for step, _ in steps}) > 1)


def place(weight: TokenWeight | Alike, names: InName) -> str:
    """``rank 0``, or ``step 2, rank 0 microbatch 3``, or ``rank 1 microbatches 1 to 3``."""
    step = f"step {weight.step + 1}, " if names.step else ""
    its = [weight.microbatch + 1, *(k + 1 for k in weight.also)] if isinstance(weight, Alike) else [weight.microbatch + 1]
    return f"{step}rank {weight.rank}" + (f" microbatch{'es' if len(its) > 1 else ''} {_numbers(its)}" if names.microbatch else "")


def _numbers(its: Sequence[int]) -> str:
    """``3``, ``1 and 3``, ``1 to 3``, ``1, 2 and 4``."""
    if len(its) > 2 and its[-1] - its[0] == len(its) - 1:
        return f"{its[0]} to {its[-1]}"
    return in_a_row(its)


def named(group: Alike, names: InName) -> str:
    """``rank 0: 2 tokens``, with the step and the microbatch where there are several."""
    what = f"token{'' if group.tokens == 1 else 's'}" if group.valid else "padded"
    return f"{place(group, names)}: {group.tokens} {what}"


def same(one: float | None, other: float | None, largest: float) -> bool:
    """Whether two weights are shown as the same; ``largest`` is the size of the largest one. No number is like no number."""
    lost = [value is None or not math.isfinite(value) for value in (one, other)]
    if any(lost):
        return all(lost)
    assert one is not None
    assert other is not None
    return abs(one - other) <= SAME * largest


def scale(weights: Sequence[TokenWeight]) -> float:
    """The largest size of any weight, wanted or given; 0 without weights."""
    sizes = [abs(w.wanted) for w in weights] + [abs(w.given) for w in weights if w.given is not None and math.isfinite(w.given)]
    return max(sizes, default=0.0)
