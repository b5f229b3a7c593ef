"""Tokens whose weights nothing tells apart, put together: for pictures of many tokens. Pure; no numpy."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quizapp.model.verdict import TokenWeight

SAME = 1e-6
"""Weights closer than this, relative to the largest one, are shown as the same."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Tokens of one rank and microbatch that want and get the same weight in one step."""

    rank: int
    microbatch: int
    valid: bool
    wanted: float
    given: float | None
    tokens: int
    step: int = 0


def alike(weights: Sequence[TokenWeight]) -> list[Alike]:
    """Tokens put together where nothing tells them apart, in the order of steps, ranks and microbatches; valid ones first."""
    largest = scale(weights)
    found: dict[tuple[int, int, int, bool], list[list[TokenWeight]]] = {}
    for weight in sorted(weights, key=lambda w: (w.step, w.rank, w.microbatch, not w.valid, w.token)):
        groups = found.setdefault((weight.step, weight.rank, weight.microbatch, weight.valid), [])
        for group in groups:
            if same(group[0].wanted, weight.wanted, largest) and same(group[0].given, weight.given, largest):
                group.append(weight)
                break
        else:
            groups.append([weight])
    return [
        Alike(g[0].rank, g[0].microbatch, g[0].valid, g[0].wanted, g[0].given, len(g), g[0].step)
        for groups in found.values()
        for g in groups
    ]


@dataclass(frozen=True, slots=True)
class InName:
    """What the name of a token must tell besides its rank."""

    microbatch: bool
    step: bool


def in_names(weights: Iterable[TokenWeight | Alike]) -> InName:
    """The step where there are several, the microbatch where a step has several."""
    steps: dict[int, set[int]] = {}
    for weight in weights:
        steps.setdefault(weight.step, set()).add(weight.microbatch)
    return InName(any(len(microbatches) > 1 for microbatches in steps.values()), len(steps) > 1)


def place(weight: TokenWeight | Alike, names: InName) -> str:
    """``rank 0``, or ``step 2, rank 0 microbatch 3``."""
    step = f"step {weight.step + 1}, " if names.step else ""
    return f"{step}rank {weight.rank}" + (f" microbatch {weight.microbatch + 1}" if names.microbatch else "")


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
