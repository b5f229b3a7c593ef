"""Scenarios: how many ranks, which counts, which numbers. Drawn from a seed after the submission has been read.

A drawn set must tell the lab's wrong ideas from the right answer and from each other, or it is drawn again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quizapp.model.formula import Formula, UndefinedValue, Value
from quizapp.model.lab import Lab, ScenarioSpec, WeightRule

CLASSES = 3
SEPARATION = 1000.0
"""Least distance, in tolerances, between two predictions on a scenario that is said to separate them."""
SEPARATING_SCENARIOS = 2
TRIES = 200

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Token:
    """One position, padding included."""

    rank: int
    microbatch: int
    token: int
    valid: bool


@dataclass(frozen=True)
class Scenario:
    """One situation with its numbers. ``arrays[rank][name]`` is what only that rank is given; ``shared`` all of them."""

    name: str
    world_size: int
    microbatches: int
    probe: bool
    masks: tuple[tuple[NDArray[np.int64], ...], ...]
    """Per rank and microbatch, [positions], 1 valid and 0 padding."""
    shared: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    arrays: tuple[Mapping[str, NDArray[Any]], ...] = ()

    @property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """Valid tokens per rank and microbatch."""
        return tuple(tuple(int(mask.sum()) for mask in row) for row in self.masks)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All positions, ranks in order, then microbatches."""
        return tuple(
            Token(rank, k, index, bool(valid))
            for rank, row in enumerate(self.masks)
            for k, mask in enumerate(row)
            for index, valid in enumerate(mask)
        )

    def facts(self) -> dict[str, Any]:
        """What a worker is told besides the arrays."""
        return {"world_size": self.world_size, "microbatches": self.microbatches, "probe": self.probe}

    def values(self, token: Token, observer: int) -> dict[str, Value]:
        """The variables of a weight formula; their meaning is listed in ``quizapp.model.lab``."""
        counts = self.counts
        positions = tuple(tuple(len(mask) for mask in row) for row in self.masks)
        numbers = {
            "R": self.world_size,
            "K": self.microbatches,
            "N": sum(map(sum, counts)),
            "T": sum(map(sum, positions)),
            "r": token.rank,
            "k": token.microbatch,
            "q": observer,
            "n_r": sum(counts[token.rank]),
            "t_r": sum(positions[token.rank]),
            "n_rk": counts[token.rank][token.microbatch],
            "t_rk": positions[token.rank][token.microbatch],
        }
        vectors = {"n": map(sum, counts), "t": map(sum, positions)}
        return {
            **{name: Fraction(number) for name, number in numbers.items()},
            **{name: tuple(Fraction(entry) for entry in entries) for name, entries in vectors.items()},
        }


WEIGHT_NAMES = frozenset(("R", "K", "N", "T", "r", "k", "q", "n_r", "t_r", "n_rk", "t_rk", "n", "t"))


def weights(rule: WeightRule, scenario: Scenario, observer: int) -> Floats:
    """The weight that a rule gives each position, as rank ``observer`` ends with it, [positions]. No value means NaN.

    Raises:
        FormulaError: the rule uses a name that isn't a variable of weights.
    """
    formulas = {True: Formula.parse(rule.valid), False: Formula.parse(rule.padding)}
    given: dict[tuple[int, int, bool], float] = {}
    for token in scenario.tokens:
        key = (token.rank, token.microbatch, token.valid)
        if key not in given:
            try:
                given[key] = float(formulas[token.valid].scalar(scenario.values(token, observer)))
            except UndefinedValue:
                given[key] = float("nan")
    return np.array([given[token.rank, token.microbatch, token.valid] for token in scenario.tokens], dtype=np.float64)


def _counts(shape: str, world_size: int, low: int, high: int, rng: np.random.Generator) -> list[int]:
    """Valid tokens per rank for one microbatch."""
    low, high = max(1, low), max(high, low + world_size)
    distinct = [int(n) for n in rng.permutation(np.arange(low, high + 1))[:world_size]]
    special = int(rng.integers(world_size))
    match shape:
        case "even":
            return [int(rng.integers(max(2, low), high + 1))] * world_size
        case "one-token-rank":
            others = [int(n) for n in rng.permutation(np.arange(max(2, low), high + 2))[:world_size]]
            return [1 if rank == special else others[rank] for rank in range(world_size)]
        case "empty-rank":
            return [0 if rank == special else distinct[rank] for rank in range(world_size)]
        case "lone-token":
            return [int(rank == special) for rank in range(world_size)]
        case "all-empty":
            return [0] * world_size
        case _:
            return distinct


def _masks(spec: ScenarioSpec, lab: Lab, world_size: int, microbatches: int, rng: np.random.Generator) -> tuple[tuple[NDArray[np.int64], ...], ...]:
    columns = []
    for _ in range(microbatches):
        counts = _counts(spec.shape, world_size, *lab.sizes.valid, rng)
        low, high = lab.sizes.padding
        padding = [int(n) for n in rng.integers(low, high + 1, size=world_size)]
        columns.append(
            [
                rng.permutation(np.repeat(np.array([1, 0], dtype=np.int64), [count, pad if count + pad else 1]))
                for count, pad in zip(counts, padding, strict=True)
            ]
        )
    return tuple(tuple(column[rank] for column in columns) for rank in range(world_size))


def feature_width(lab: Lab) -> int:
    """D, so that the model has more parameters per class than any scenario has positions, and width tells nothing of counts."""
    largest = max(lab.world_sizes)
    valid = max(lab.sizes.valid[1], lab.sizes.valid[0] + largest) + 2
    return largest * lab.sizes.microbatches[1] * (valid + lab.sizes.padding[1]) + 8


def _fill(spec: ScenarioSpec, lab: Lab, masks: tuple[tuple[NDArray[np.int64], ...], ...], rng: np.random.Generator) -> Scenario:
    width = feature_width(lab)
    arrays: list[dict[str, NDArray[Any]]] = []
    for row in masks:
        own: dict[str, NDArray[Any]] = {}
        for k, mask in enumerate(row):
            own[f"mask.{k}"] = mask
            if spec.probe:
                own[f"losses.{k}"] = rng.uniform(0.2, 3.0, size=len(mask))
            else:
                own[f"features.{k}"] = rng.normal(size=(len(mask), width))
                own[f"targets.{k}"] = rng.integers(0, CLASSES, size=len(mask))
        arrays.append(own)
    shared = {} if spec.probe else {"weight": rng.normal(size=(width, CLASSES)) / np.sqrt(width)}
    return Scenario(spec.name, len(masks), len(masks[0]), spec.probe, masks, shared, tuple(arrays))


def rules_of(lab: Lab) -> list[tuple[str, WeightRule]]:
    """Every weight rule of the lab's misconceptions, with the misconception's id."""
    return [(wrong.id, rule) for wrong in lab.misconceptions for rule in wrong.weights]


def apart(a: Floats, b: Floats, tolerance: float) -> bool:
    """Whether two predictions of weights differ by far more than rounding could. NaN differs from every number."""
    scale = float(np.nanmax(np.abs(np.concatenate([a, b, [0.0]]))))
    with np.errstate(invalid="ignore"):
        far = np.abs(a - b) > SEPARATION * tolerance * scale
    return bool(np.any(np.isnan(a) != np.isnan(b)) or np.any(far))


def separated(lab: Lab, scenarios: Sequence[Scenario], tolerance: float) -> bool:
    """Whether the set tells every wrong idea from the right answer, and from ideas under another name, on two scenarios.

    Two rules that no scenario of the set tells apart are taken as one rule (the linter reports them); a single scenario that
    does is chance, and the set is refused.
    """
    rows = [("", [weights(lab.objective, scenario, observer=0) for scenario in scenarios])]
    rows += [(name, [weights(rule, scenario, observer=0) for scenario in scenarios]) for name, rule in rules_of(lab)]
    stacked = [np.stack([row[index] for _, row in rows]) for index in range(len(scenarios))]
    distances = np.zeros((len(rows), len(rows)), dtype=np.int64)
    for table in stacked:
        missing = np.isnan(table)
        filled = np.where(missing, 0.0, table)
        scale = np.maximum(np.abs(filled).max(axis=1)[:, None], np.abs(filled).max(axis=1)[None, :])
        far = np.abs(filled[:, None, :] - filled[None, :, :]).max(axis=2) > SEPARATION * tolerance * scale
        distances += far | np.any(missing[:, None, :] != missing[None, :, :], axis=2)
    names = np.array([name for name, _ in rows])
    different = names[:, None] != names[None, :]
    return not bool(np.any(different & (distances > 0) & (distances < SEPARATING_SCENARIOS)))


def _draw_size(lab: Lab, world_size: int, rng: np.random.Generator) -> list[Scenario]:
    low, high = lab.sizes.microbatches
    choices = [k for k in range(low, high + 1) if k == 1 or (k % world_size and world_size % k)] or [high]
    return [_fill(spec, lab, _masks(spec, lab, world_size, int(rng.choice(choices)), rng), rng) for spec in lab.scenarios]


def draw(lab: Lab, seed: int) -> tuple[Scenario, ...]:
    """The lab's scenarios at all its world sizes, smallest first. The same seed gives the same scenarios on any machine."""
    scenarios: list[Scenario] = []
    for attempt in range(TRIES):
        rng = np.random.Generator(np.random.PCG64([seed, attempt]))
        scenarios = [scenario for size in sorted(lab.world_sizes) for scenario in _draw_size(lab, size, rng)]
        if separated(lab, scenarios, tolerance=1e-12):
            break
    return tuple(scenarios)
