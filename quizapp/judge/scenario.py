"""Scenarios: how many ranks, which counts, which numbers. Drawn from a seed after the submission has been read.

A drawn set must tell the lab's wrong ideas from the right answer and from each other, or it is drawn again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quizapp.judge.columns import evaluate
from quizapp.judge.tolerance import tolerance
from quizapp.model.formula import Formula, Value
from quizapp.model.lab import Draw, Lab, ScenarioSpec, WeightRule

SEPARATION = 1000.0
"""Least distance, in tolerances, between two predictions on a scenario that is said to separate them."""
SEPARATING_SCENARIOS = 2
TRIES = 200
CROWD = 257
"""Valid tokens of a crowded window: a byte holds 255, and bfloat16 has 256 and 258."""
NARROW = 16
"""Columns of features where there are more positions than columns: enough to tell ranks, microbatches and padding apart."""

Floats = NDArray[np.float64]
Masks = tuple[tuple[NDArray[np.int64], ...], ...]


class Token(NamedTuple):
    """One position, padding included. ``microbatch`` counts over all windows, ``token`` within the microbatch."""

    rank: int
    window: int
    microbatch: int
    token: int
    valid: bool


@dataclass(frozen=True)
class Scenario:
    """One situation with its numbers. ``arrays[rank][name]`` is what only that rank is given; ``shared`` all of them."""

    name: str
    world_size: int
    accumulate: int
    """Microbatches per window as configured."""
    windows: tuple[int, ...]
    """Microbatches of each window."""
    probe: bool
    masks: Masks
    """Per rank and microbatch, [positions], 1 valid and 0 padding."""
    shared: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    arrays: tuple[Mapping[str, NDArray[Any]], ...] = ()

    @cached_property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """Valid tokens per rank and microbatch."""
        return tuple(tuple(int(mask.sum()) for mask in row) for row in self.masks)

    @cached_property
    def window_of(self) -> tuple[int, ...]:
        """The window of each microbatch."""
        return tuple(window for window, length in enumerate(self.windows) for _ in range(length))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All positions: ranks in order, then microbatches."""
        return tuple(
            Token(rank, self.window_of[k], k, index, bool(valid))
            for rank, row in enumerate(self.masks)
            for k, mask in enumerate(row)
            for index, valid in enumerate(mask)
        )

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """For each position its column in :attr:`columns`: rank times microbatches plus microbatch."""
        lengths = [len(mask) for row in self.masks for mask in row]
        return np.repeat(np.arange(len(lengths)), lengths)

    @cached_property
    def valid(self) -> NDArray[np.bool_]:
        """For each position whether it is a valid token."""
        return np.concatenate([mask for row in self.masks for mask in row]).astype(np.bool_)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """For each position twice its :attr:`places`, plus 1 where it is valid: no formula tells equal ones apart."""
        return 2 * self.places + self.valid

    @cached_property
    def windows_of_positions(self) -> NDArray[np.int64]:
        """For each position its window."""
        return np.array(self.window_of)[self.places % len(self.window_of)]

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The variables of weight formulas for each rank and microbatch: [columns], vectors [R, columns]."""
        rows = list(self._values.values())
        return {name: np.array([row[name] for row in rows], dtype=np.float64).T for name in rows[0]}

    def facts(self) -> dict[str, Any]:
        """What a worker is told besides the arrays."""
        return {
            "world_size": self.world_size,
            "accumulate": self.accumulate,
            "windows": list(self.windows),
            "probe": self.probe,
        }

    @cached_property
    def _values(self) -> dict[tuple[int, int], dict[str, Value]]:
        """The variables of weight formulas that depend on a token's rank and microbatch, by those."""
        positions = tuple(tuple(len(mask) for mask in row) for row in self.masks)
        found: dict[tuple[int, int], dict[str, Value]] = {}
        shapes = [[other for other, its in enumerate(self.window_of) if its == window] for window in self.window_of]
        for rank, k in product(range(self.world_size), range(len(self.window_of))):
            inside = shapes[k]
            valid = [sum(row[other] for other in inside) for row in self.counts]
            length = [sum(row[other] for other in inside) for row in positions]
            numbers = {
                "R": self.world_size, "K": self.accumulate, "K_w": len(inside), "W": len(self.windows),
                "N": sum(valid), "T": sum(length), "r": rank, "k": k - inside[0], "w": self.window_of[k],
                "n_r": valid[rank], "t_r": length[rank], "n_k": sum(row[k] for row in self.counts),
                "n_rk": self.counts[rank][k], "t_rk": positions[rank][k],
            }  # fmt: skip
            vectors = {"n": tuple(map(Fraction, valid)), "t": tuple(map(Fraction, length))}
            found[rank, k] = {**{name: Fraction(number) for name, number in numbers.items()}, **vectors}
        return found

    def values(self, rank: int, microbatch: int, observer: int = 0, step: int = 0) -> dict[str, Value]:
        """The variables of a weight formula; ``quizapp.model.lab.WEIGHT_NAMES`` says what they mean."""
        return {**self._values[rank, microbatch], "q": Fraction(observer), "s": Fraction(step)}


def weights(rule: WeightRule, scenario: Scenario, observer: int) -> Floats:
    """The weight that a rule gives each position in each step, as rank ``observer`` ends with it, [windows, positions].

    No value means NaN.

    Raises:
        FormulaError: the rule uses a name that isn't a variable of weights.
    """
    return tabulate([rule], [scenario], observer)[0][0]


def tabulate(rules: Sequence[WeightRule], scenarios: Sequence[Scenario], observer: int) -> list[list[Floats]]:
    """:func:`weights` for each rule and each scenario. Scenarios of one world size are evaluated together."""
    found = [[np.zeros((len(s.windows), len(s.valid))) for s in scenarios] for _ in rules]
    for size in {scenario.world_size for scenario in scenarios}:
        blocks = [(index, step) for index, s in enumerate(scenarios) if s.world_size == size for step in range(len(s.windows))]
        columns = [scenarios[index].columns for index, _ in blocks]
        widths = [len(own["R"]) for own in columns]
        values = {name: np.concatenate([own[name] for own in columns], axis=-1) for name in columns[0]}
        values["s"] = np.repeat([float(step) for _, step in blocks], widths)
        values["q"] = np.full(1, float(observer))
        starts = np.cumsum([0, *widths])
        for rule, rows in zip(rules, found, strict=True):
            for source, wants_valid in ((rule.valid, True), (rule.padding, False)):
                if source == "0":
                    continue
                formula = Formula.parse(source)
                given = evaluate(formula, values, int(starts[-1]))
                for (index, step), start in zip(blocks, starts, strict=False):
                    scenario = scenarios[index]
                    here = scenario.valid if wants_valid else ~scenario.valid
                    if "s" not in formula.names:
                        here = here & (scenario.windows_of_positions == step)
                    rows[index][step, here] = given[start + scenario.places[here]]
    return found


Corner = Literal["first", "last"] | None
"""Which rank and microbatch of the first window are the special ones: those of a corner, or (``None``) any."""


def _at(corner: Corner, drawn: int, size: int) -> int:
    return {"first": 0, "last": size - 1}.get(corner or "", drawn)


def _counts(shape: str, world_size: int, low: int, high: int, corner: Corner, rng: np.random.Generator) -> list[int]:
    """Valid tokens per rank for one microbatch."""
    low, high = max(1, low), max(high, low + world_size)
    distinct = [int(n) for n in rng.permutation(np.arange(low, high + 1))[:world_size]]
    special = _at(corner, int(rng.integers(world_size)), world_size)
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


def _crowd(world_size: int, length: int, corner: Corner, rng: np.random.Generator) -> list[list[int]]:
    """:data:`CROWD` valid tokens per microbatch and rank, all but a few on one rank. In whatever order a byte or a bfloat16 adds
    them up, and whether ranks round their own counts or not, it ends with the same number."""
    full = _at(corner, int(rng.integers(world_size)), world_size)
    rows = [[0] * world_size for _ in range(length)]
    for place, rank in enumerate(rank for rank in range(world_size) if rank != full):
        for row in rows:
            row[rank] = place + 1
    left = CROWD - sum(map(sum, rows))
    for k, row in enumerate(rows):
        row[full] = left // length + (k < left % length)
    return rows


def _window_counts(
    spec: ScenarioSpec, lab: Lab, world_size: int, length: int, corner: Corner, rng: np.random.Generator
) -> list[list[int]]:
    """Valid tokens per microbatch and rank for one window: what the shape says of ranks holds for the window's totals too."""
    if spec.crowded:
        return _crowd(world_size, length, corner, rng)
    low, high = lab.sizes.valid
    if spec.shape == "even":
        return [_counts("even", world_size, low, high, corner, rng)] * length
    rows = [_counts(spec.shape if k == 0 else "uneven", world_size, low, high, corner, rng) for k in range(length)]
    if spec.shape in ("empty-rank", "lone-token", "all-empty", "one-token-rank"):
        # The special rank stays what it is in the whole window; otherwise the window would not be that case at all.
        for row in rows[1:]:
            for rank, first in enumerate(rows[0]):
                if first == 0 or (spec.shape == "one-token-rank" and first == 1) or spec.shape == "lone-token":
                    row[rank] = 0
    if spec.empty_microbatch and length > 1:
        rows[_at(corner, int(rng.integers(length)), length)] = [0] * world_size
    return rows


def _masks(
    spec: ScenarioSpec, lab: Lab, world_size: int, windows: Sequence[int], corner: Corner, rng: np.random.Generator
) -> Masks:
    low, high = lab.sizes.padding
    columns = []
    for index, length in enumerate(windows):
        for counts in _window_counts(spec, lab, world_size, length, corner if index == 0 else None, rng):
            padding = [int(n) for n in rng.integers(low, high + 1, size=world_size)]
            kinds = np.array([1, 0], dtype=np.int64)
            pairs = zip(counts, padding, strict=True)
            columns.append([rng.permutation(np.repeat(kinds, [n, pad if n + pad else 1])) for n, pad in pairs])
    return tuple(tuple(column[rank] for column in columns) for rank in range(world_size))


def feature_width(lab: Lab) -> int:
    """D, so that the model has more parameters per class than any scenario has positions, and width tells nothing of counts."""
    largest = max(lab.world_sizes)
    valid = max(lab.sizes.valid[1], lab.sizes.valid[0] + largest) + 2
    most = max(spec.windows + spec.tail for spec in lab.scenarios) * lab.sizes.microbatches[1]
    return largest * most * (valid + lab.sizes.padding[1]) + 8


def _held(masks: Masks, what: str) -> NDArray[np.int64]:
    """Valid tokens, or positions, per rank and microbatch."""
    return np.array([[int(mask.sum()) if what == "valid" else len(mask) for mask in row] for row in masks], dtype=np.int64)


def _drawn(law: Draw, positions: int, width: int, rng: np.random.Generator) -> NDArray[Any]:
    sizes = {"positions": positions, "width": width}
    shape = tuple(size if isinstance(size, int) else sizes[size] for size in law.shape)
    if law.normal is not None:
        return rng.normal(*law.normal, size=shape)
    if law.uniform is not None:
        return rng.uniform(*law.uniform, size=shape)
    if law.integers is not None:
        return rng.integers(law.integers[0], law.integers[1] + 1, size=shape)
    return np.array(law.values, dtype=np.float64)


_LOSSES = Draw(shape=("positions",), uniform=(0.2, 3.0))


def fill(lab: Lab, bare: Scenario, rng: np.random.Generator) -> Scenario:
    """The scenario with its arrays drawn."""
    width = feature_width(lab)
    if len(bare.valid) > width:
        width = NARROW
    draws = {"losses": _LOSSES} if bare.probe else lab.draws
    shared = {
        name: _held(bare.masks, law.counts) if law.counts is not None else np.asarray(_drawn(law, 0, width, rng))
        for name, law in draws.items()
        if law.each == "scenario"
    }
    arrays: list[dict[str, NDArray[Any]]] = []
    for row in bare.masks:
        own: dict[str, NDArray[Any]] = {}
        for name, law in draws.items():
            if law.each == "rank":
                own[name] = np.asarray(_drawn(law, sum(map(len, row)), width, rng))
        for k, mask in enumerate(row):
            own[f"mask.{k}"] = mask
            for name, law in draws.items():
                if law.each == "microbatch":
                    own[f"{name}.{k}"] = np.asarray(_drawn(law, len(mask), width, rng))
            if bare.probe:  # a loss of 0 is a token's loss as well: who counts losses instead of the mask miscounts
                own[f"losses.{k}"][np.flatnonzero(mask)[:1]] = 0.0
        arrays.append(own)
    return Scenario(bare.name, bare.world_size, bare.accumulate, bare.windows, bare.probe, bare.masks, shared, tuple(arrays))


def rules_of(lab: Lab) -> list[tuple[str, WeightRule]]:
    """Every weight rule of the lab's misconceptions, with the misconception's id."""
    return [(wrong.id, rule) for wrong in lab.misconceptions for rule in wrong.weights]


def apart(a: Floats, b: Floats, relative: float) -> bool:
    """Whether two predictions differ by far more than rounding could. NaN differs from every number."""
    if a.shape != b.shape or np.any(np.isnan(a) != np.isnan(b)):
        return True
    known = ~np.isnan(a)
    scale = max(float(np.abs(a[known]).max(initial=0.0)), float(np.abs(b[known]).max(initial=0.0)))
    return bool(np.any(np.abs(a[known] - b[known]) > SEPARATION * relative * scale))


def steps_of(rule: WeightRule, scenario: Scenario) -> int:
    """The optimizer steps that a rule takes."""
    if rule.steps is None:
        return len(scenario.windows)
    return int(Formula.parse(rule.steps).scalar(scenario.values(0, 0)))


def separated(lab: Lab, scenarios: Sequence[Scenario], relative: float) -> bool:
    """Whether the set tells every wrong idea from the right answer, and from ideas under another name, on two scenarios.

    Two rules that no scenario of the set tells apart are taken as one rule (the linter reports them); a single scenario that
    does is chance, and the set is refused.
    """
    rules = rules_of(lab)
    if lab.objective is None or not rules:
        return True
    named = [("", lab.objective), *rules]
    names = np.array([name for name, _ in named])
    distances = np.zeros((len(named), len(named)), dtype=np.int64)
    tables = tabulate([rule for _, rule in named], scenarios, observer=0)
    for index, scenario in enumerate(scenarios):
        _, one_of_each = np.unique(scenario.cells, return_index=True)
        table = np.stack([row[index][:, one_of_each].reshape(-1) for row in tables])
        steps = np.array([steps_of(rule, scenario) for _, rule in named])
        missing = np.isnan(table)
        filled = np.where(missing, 0.0, table)
        largest = np.abs(filled).max(axis=1)
        scale = np.maximum(largest[:, None], largest[None, :])
        far = np.abs(filled[:, None, :] - filled[None, :, :]).max(axis=2) > SEPARATION * relative * scale
        unlike = np.any(missing[:, None, :] != missing[None, :, :], axis=2) | (steps[:, None] != steps[None, :])
        distances += far | unlike
    different = names[:, None] != names[None, :]
    return not bool(np.any(different & (distances > 0) & (distances < SEPARATING_SCENARIOS)))


CORNERS: Sequence[Corner] = ("first", "last", None)
"""Taken in turn by a scenario's world sizes. A program that is wrong where rank 0 is empty, or the last microbatch of a window, and
nowhere else, must not pass because no draw went there."""


def _draw_size(lab: Lab, world_size: int, turn: int, rng: np.random.Generator) -> list[Scenario]:
    low, high = lab.sizes.microbatches
    choices = [k for k in range(low, high + 1) if k == 1 or (k % world_size and world_size % k)] or [high]
    found = []
    for index, spec in enumerate(lab.scenarios):
        accumulate = int(rng.choice(choices))
        tail = [int(rng.integers(1, max(2, accumulate)))] if spec.tail else []
        windows = (*[accumulate] * spec.windows, *tail)
        masks = _masks(spec, lab, world_size, windows, CORNERS[(index + turn) % len(CORNERS)], rng)
        found.append(fill(lab, Scenario(spec.name, world_size, accumulate, windows, spec.probe, masks), rng))
    return found


def draw(lab: Lab, seed: int) -> tuple[Scenario, ...]:
    """The lab's scenarios at all its world sizes, smallest first. The same seed gives the same scenarios on any machine."""
    scenarios: list[Scenario] = []
    for attempt in range(TRIES):
        rng = np.random.Generator(np.random.PCG64([seed, attempt]))
        first = seed % len(CORNERS)
        sizes = enumerate(sorted(lab.world_sizes), first)
        scenarios = [scenario for turn, size in sizes for scenario in _draw_size(lab, size, turn, rng)]
        if separated(lab, scenarios, tolerance(feature_width(lab))):
            break
    return tuple(scenarios)
